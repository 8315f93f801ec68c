"""The peers' fake model, taught where the evidence stands in assay's prompts; for other prompts it is as it was.

Started by run.py with the peers' folder on the path and their server's Python.
"""

from __future__ import annotations

import re

import fake_llm
import uvloop

# Where the evidence begins, and the line over its first passage.
FIRST_PASSAGE = r"<evidence [0-9a-f]+>\n[^\n]*\n"

if __name__ == "__main__":
    fake_llm.R_CTX = re.compile(f"{FIRST_PASSAGE}|{fake_llm.R_CTX.pattern}")
    uvloop.run(fake_llm.main())
