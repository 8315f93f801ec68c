"""What is told of a run while it is under way: verified sentences, and with `-v` every step."""

from __future__ import annotations

from dataclasses import dataclass, field

from assay.cli.answer_view import flowing
from assay.cli.run_view import told
from assay.cli.terminal import Terminal, visible
from assay.types import Event, Sentence, SentenceProvisional, SentenceVerified, SentenceWithdrawn


@dataclass(slots=True)
class Progress:
    """Told of each event; prints a sentence only when it is verified, since no other may be shown.

    A passage's number is its place in order of first citation, as it will be in the answer.
    """

    terminal: Terminal
    sentences: bool = False
    printed: int = 0
    withdrawn: int = 0
    _numbers: dict[str, int] = field(default_factory=dict)

    def __call__(self, event: Event) -> None:
        """Tell what is to be told of the event."""
        if self.terminal.verbose:
            self.terminal.detail(told(event.kind, event.to_dict()) or event.kind)
        if self.sentences:
            self._tell(event)

    def _tell(self, event: Event) -> None:
        match event:
            case SentenceProvisional(sentence=sentence):
                for passage_id in sentence.passage_ids:
                    self._numbers.setdefault(passage_id, len(self._numbers) + 1)
            case SentenceVerified(sentence=sentence):
                self.terminal.line(self._marked(sentence))
                self.printed += 1
            case SentenceWithdrawn():
                self.withdrawn += 1

    def _marked(self, sentence: Sentence) -> str:
        marks = [f"[{self._numbers[each]}]" for each in sentence.passage_ids]
        return " ".join([visible(flowing(sentence.text.strip())), *marks])
