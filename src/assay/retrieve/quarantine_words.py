"""The words that rules on planted instructions share, and what a rule is."""

from __future__ import annotations

from dataclasses import dataclass

from assay.retrieve.quarantine_sieve import SievedPattern

# Who is addressed.
MODEL = (
    r"(?:A\.?I\.?(?:\s+(?:assistants?|models?|agents?|systems?|bots?|language models?))?|LLMs?"
    r"|GPT(?:-?\d\w*)?|ChatGPT"
    r"|Claude|Gemini|Llama|Copilot|(?:large )?language models?|chat ?bots?|(?:virtual |digital )?assistants?"
    r"|summari[sz]ers?|automated (?:systems?|readers?|reviewers?|graders?)|(?:the )?(?:model|bot))"
)
# What it is to do with words.
UTTER = r"(?:answer|respond|reply|output|print|say|write|state|display|repeat)"
# Words between quotation marks.
QUOTED = r"(?:\"[^\"\n]{1,300}\"|'[^'\n]{1,300}'|“[^”\n]{1,300}”|`[^`\n]{1,300}`)"


@dataclass(frozen=True, slots=True)
class Rule:
    """A pattern, and the folded words of which a text must hold one for the pattern to be tried."""

    words: frozenset[str]
    pattern: SievedPattern


def rule(words: str, *patterns: str) -> Rule:
    """The rule of these patterns, tried where a text holds one of the words, or its plural."""
    singular = words.split()
    return Rule(
        frozenset((*singular, *(f"{word}s" for word in singular))),
        SievedPattern("|".join(f"(?:{each})" for each in patterns)),
    )
