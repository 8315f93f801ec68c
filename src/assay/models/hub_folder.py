"""A folder in the layout of the Hugging Face hub: `config.json`, `tokenizer.json` and a network in ONNX.

Only JSON and ONNX are read: no code, no pickle. What the model's own files leave out or get wrong, such as what its
labels mean, may stand in `assay.json` beside them, which goes before them.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assay.errors import UsageError
from assay.models.onnx import digest_of, one_thread_session, plain_tokenizer

if TYPE_CHECKING:
    from tokenizers import Tokenizer

# The places of a network in a folder; the first that is there is taken.
NETWORKS = ("model.onnx", "onnx/model.onnx")
# The facts that a user may state of a model, over those of its files.
ASSAY_FILE = "assay.json"
SAID = ("labels", "query_prefix", "passage_prefix", "languages")
# Large networks keep their weights beside them, under one of these endings of the network's own name.
WEIGHTS_BESIDE = ("_data", ".data")
# The limit of a model whose files name none: BERT's, which most encoders kept.
_USUAL_TOKENS = 512
# Tokenizers without a limit write a number larger than any real one.
_NO_LIMIT = 1_000_000
# Networks that count positions from behind the padding token (transformers' create_position_ids_from_input_ids).
_COUNT_FROM_PADDING = frozenset({"roberta", "xlm-roberta", "camembert", "mpnet", "longformer"})
_INPUTS = frozenset({"input_ids", "attention_mask", "token_type_ids"})


@dataclass(frozen=True, slots=True)
class HubFolder:
    """A folder that holds what a network of the kind `what` needs; `option` is the one that names it.

    `network` is the file taken, `others` are the networks beside it. `config` is what `config.json` says, `said`
    what `assay.json` does.
    """

    path: Path
    network: Path
    others: tuple[str, ...]
    config: Mapping[str, Any]
    said: Mapping[str, Any]
    what: str
    option: str

    @classmethod
    def open(cls, path: Path, *, what: str, option: str) -> HubFolder:
        """Find the parts of a model in a folder, or around a network named by its file.

        Raises UsageError where one is missing or damaged, and where several networks are there and none is named.
        """
        finding = cls(path, path, (), {}, {}, what, option)
        folder, named = finding._folder()
        finding = cls(folder, folder, (), {}, {}, what, option)
        if not (folder / "tokenizer.json").is_file():
            raise finding.refuse(f"{folder} has no tokenizer.json", "save it with transformers: save_pretrained")
        config = finding.json("config.json")
        known = tuple(path.relative_to(folder).as_posix() for path in networks_in(folder))
        network = named or finding._chosen(known)
        others = tuple(other for other in known if folder / other != network)
        return cls(folder, network, others, config, finding._said(), what, option)

    def json(self, name: str) -> dict[str, Any]:
        """The object in one of the folder's files, an empty one where there is no such file; raises UsageError."""
        found = self._read(name, {})
        if not isinstance(found, dict):
            raise self.refuse(f"{self.path / name} is not a JSON object")
        return found

    @property
    def sha256(self) -> str:
        """One hash over the network, its weights, the tokenizer, and what is said of the model, in hex."""
        described = (self.path / name for name in ("tokenizer.json", "config.json", ASSAY_FILE))
        told = [f"{path.name} {digest_of(path)}" for path in (*self.weights, *described) if path.is_file()]
        return hashlib.sha256("\n".join(told).encode()).hexdigest()

    @property
    def weights(self) -> tuple[Path, ...]:
        """The network's file, and what lies beside it where a network is too large to hold its own weights."""
        beside = (self.network.with_name(self.network.name + ending) for ending in WEIGHTS_BESIDE)
        return (self.network, *(path for path in beside if path.is_file()))

    @property
    def name(self) -> str:
        """The name of the folder."""
        return self.path.resolve().name

    @property
    def taken(self) -> str:
        """The network's file within the folder."""
        return self.network.relative_to(self.path).as_posix()

    @property
    def languages(self) -> tuple[str, ...]:
        """ISO 639-1 codes of what the model reads; English where nobody said."""
        return tuple(self.said.get("languages", ("en",)))

    @property
    def labels(self) -> tuple[str, ...]:
        """The names of the network's classes, in order; LABEL_0, LABEL_1, … where nobody named them."""
        if "labels" in self.said:
            return tuple(self.said["labels"])
        named = self.config.get("id2label")
        if not isinstance(named, dict) or not named:
            # Two is what transformers takes where `config.json` counts none.
            count = self.config.get("num_labels", 2)
            return tuple(f"LABEL_{at}" for at in range(count if type(count) is int and 0 < count < 100 else 2))
        try:
            return tuple(str(named[key]) for key in sorted(named, key=int))
        except ValueError as error:
            raise self.refuse(f"id2label in {self.path / 'config.json'} does not number its labels") from error

    @property
    def modules(self) -> tuple[str, ...]:
        """The modules that a text passes, by the names of sentence-transformers; none where nobody says."""
        found = self._read("modules.json", [])
        if not isinstance(found, list) or not all(isinstance(module, dict) for module in found):
            raise self.refuse(f"{self.path / 'modules.json'} is not a list of modules")
        return tuple(str(module.get("type")).rpartition(".")[2] for module in found)

    @property
    def max_tokens(self) -> int:
        """The most tokens that the model reads, those that frame a text included; BERT's where nobody says."""
        return self.limit or _USUAL_TOKENS

    @property
    def limit(self) -> int | None:
        """The least limit of the model's files on how many tokens it reads, None where they name none."""
        limits = [
            self.json("tokenizer_config.json").get("model_max_length"),
            self.json("sentence_bert_config.json").get("max_seq_length"),
            self._positions(),
        ]
        real = [limit for limit in limits if type(limit) is int and 0 < limit < _NO_LIMIT]
        return min(real, default=None)

    def session(self) -> Any:
        """The network, on one thread; raises UsageError where it is none that takes texts as tokens."""
        try:
            session = one_thread_session(self.network)
        except Exception as error:  # onnxruntime has a dozen unrelated classes for a bad file
            raise self.refuse(f"{self.network} is not a model that onnxruntime can open: {error}") from error
        asked = {entry.name for entry in session.get_inputs()}
        if asked - _INPUTS or "input_ids" not in asked:
            other = ", ".join(sorted(asked - _INPUTS)) or "no input_ids"
            raise self.refuse(f"{self.network} wants {other}; an encoder of texts does not")
        return session

    def tokenizer(self) -> Tokenizer:
        """The tokenizer, which neither cuts nor pads; raises UsageError where the file holds none."""
        return plain_tokenizer(self.path / "tokenizer.json", self.refuse)

    def refuse(self, message: str, next_step: str = "") -> UsageError:
        """The error for a folder that does not do; `next_step` is what helps, where something does."""
        usual = f"{self.option} takes a folder as docs/how-to/use-open-models.md describes it"
        return UsageError(message, hint=f"{next_step}; {usual}" if next_step else usual)

    def _read(self, name: str, default: Any) -> Any:
        path = self.path / name
        if not path.is_file():
            return default
        try:
            return json.loads(path.read_text(encoding="utf-8"))
        except (OSError, ValueError, RecursionError) as error:
            raise self.refuse(f"{path} is not JSON: {error}") from error

    def _folder(self) -> tuple[Path, Path | None]:
        """The model's folder, and the network where its file was named."""
        if self.path.is_dir():
            return self.path, None
        if not self.path.exists():
            raise self.refuse(f"there is no folder {self.path}")
        if self.path.suffix != ".onnx":
            raise self.refuse(f"{self.path} is not a network in ONNX, and nothing else is opened")
        above = self.path.parent
        nested = above.name == "onnx" and not (above / "config.json").is_file()
        return above.parent if nested else above, self.path

    def _chosen(self, known: tuple[str, ...]) -> Path:
        usual = [name for name in NETWORKS if name in known]
        if usual or len(known) == 1:
            return self.path / (usual or known)[0]
        if not known:
            export = f"export one: optimum-cli export onnx --model {self.path} FOLDER"
            raise self.refuse(f"{self.path} has no network in ONNX", export)
        listed = f"name one of them: {self.option} {self.path / known[0]}"
        raise self.refuse(f"{self.path} has several networks: {', '.join(known)}", listed)

    def _said(self) -> Mapping[str, Any]:
        found = self.json(ASSAY_FILE)
        for name, value in found.items():
            if name not in SAID:
                raise self.refuse(f"{self.path / ASSAY_FILE} says {name!r}; it may say {', '.join(SAID)}")
            texts = [value] if name.endswith("prefix") else value
            if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
                raise self.refuse(f"{name} in {self.path / ASSAY_FILE} is not of text")
        return found

    def _positions(self) -> int | None:
        count = self.config.get("max_position_embeddings")
        if type(count) is not int:
            return None
        padding = self.config.get("pad_token_id", 1)
        if self.config.get("model_type") in _COUNT_FROM_PADDING and type(padding) is int:
            return count - padding - 1
        return count


def networks_in(folder: Path) -> list[Path]:
    """The ONNX files in a model's folder and in its folder `onnx`, by name."""
    return sorted(path for place in (folder, folder / "onnx") for path in place.glob("*.onnx") if path.is_file())
