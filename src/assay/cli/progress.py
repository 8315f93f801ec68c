"""What is told of a run while it is under way: sentences that are sure to stay, and with `-v` every step."""

from __future__ import annotations

from dataclasses import dataclass, field

from assay.cli.answer_view import bold, flowing
from assay.cli.run_view import told
from assay.cli.terminal import Terminal, visible
from assay.text.citation_marks import HEDGE_MARK
from assay.types import Event, Sentence, SentenceVerified, SentenceWithdrawn, StatusChanged

# What a sentence begins with that begins a paragraph.
_PARAGRAPH = "\n\n"


@dataclass(slots=True)
class Progress:
    """Told of each event; prints a sentence when it is verified, and a marked one where others stand beside it.

    A passage's number is its place in order of first citation, as it will be in the answer.
    """

    terminal: Terminal
    sentences: bool = False
    printed: int = 0
    dropped: int = 0
    _numbers: dict[str, int] = field(default_factory=dict)
    _waiting: list[Sentence] = field(default_factory=list)

    def __call__(self, event: Event) -> None:
        """Tell what is to be told of the event."""
        if self.terminal.verbose:
            self.terminal.detail(told(event.kind, event.to_dict()) or event.kind)
        if self.sentences:
            self._tell(event)

    def _tell(self, event: Event) -> None:
        match event:
            case StatusChanged(stage="write"):  # where nothing of a draft passed, another one takes its place
                self._waiting, self._numbers, self.dropped = [], {}, 0
            case SentenceVerified(sentence=sentence):
                self._waiting.append(sentence)
                self._print()
            case SentenceWithdrawn(sentence=sentence) if sentence.hedged:
                self._waiting.append(sentence)
                if self.printed:
                    self._print()
            case SentenceWithdrawn():
                self.dropped += 1

    def _print(self) -> None:
        for sentence in self._waiting:
            if self.printed and sentence.text.startswith(_PARAGRAPH):
                self.terminal.line("")
            self.terminal.line(self._marked(sentence))
            self.printed += 1
        self._waiting = []

    def _marked(self, sentence: Sentence) -> str:
        for each in sentence.passage_ids:
            self._numbers.setdefault(each, len(self._numbers) + 1)
        marks = [f"[{self._numbers[each]}]" for each in sentence.passage_ids]
        hedge = [HEDGE_MARK] if sentence.hedged else []
        return " ".join([visible(bold(flowing(sentence.text.strip())).plain), *marks, *hedge])
