"""What an instruction to a model looks like inside a document: patterns for stretches of its text.

Rules, not a model: the same for the same text, quick, silent on ordinary prose. Written from what is published on
prompt injection, not from the strings they are measured on. A group stays only while it catches attack strings that
no other catches (`benchmarks/quarantine/ablation.py`).
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from assay.retrieve.quarantine_sieve import SievedPattern

_TOLD = (
    r"(?:instructions?|prompts?|directions?|directives?|guidelines?|commands?|orders|rules|constraints"
    r"|restrictions"
    r"|programming|system (?:prompt|message)|safety (?:rules|guidelines|protocols)|context|conversation"
    r"|messages?"
    r"|training|polic(?:y|ies))"
)
_BEFORE = (
    r"(?:previous(?:ly)?|prior|above|earlier|preceding|foregoing|existing|original|initial|former|old"
    r"|system|safety)"
)
_DROP = (
    r"(?:ignore|disregard|forget|override|overwrite|overrule|bypass|discard|drop|neglect|set aside"
    r"|(?:pay|paying) no attention to|stop following"
    r"|(?:do not|don['’]t|never) (?:follow|obey|look at|read|listen to|pay (?:any )?attention to|comply with))"
)
_PUT = (
    r"(?:answer|respond|reply|output|print|say|write|state|return|display|repeat|include|append|insert|add"
    r"|mention)"
)
_HIDDEN = (
    r"(?:(?:secret|admin(?:istrator)?|master|hidden|confidential|user['’]?s?)\s+){0,2}(?:passwords?|pass ?phrases?"
    r"|pass ?codes?|secrets?(?: (?:keys?|words?|codes?|phrases?|values?|information))?|api keys?|credentials)"
)
_OF_YOURS = (
    r"(?:(?:initial|original|exact|full|complete|entire|secret|hidden|internal|system|own|first)\s+){0,3}"
    r"(?:instructions?|prompts?|guidelines|directives|rules|programming|initiali[sz]ation|system message)"
)
_REVEAL = (
    r"(?:reveal|disclose|divulge|leak|expose|share|tell (?:me|us)|give (?:me|us)|show (?:me|us)|print|output|recite"
    r"|repeat|spell(?: out)?|write (?:out|down)|whisper|encode|translate|summari[sz]e|list|dump|hint at)"
)
# What a model is to do with words.
_UTTER = r"(?:answer|respond|reply|output|print|say|write|state|display|repeat)"


@dataclass(frozen=True, slots=True)
class Rule:
    """A pattern with its group's name, and the folded words of which a text must hold one for it to be tried."""

    name: str
    words: frozenset[str]
    pattern: SievedPattern


def rule(name: str, words: str, *patterns: str) -> Rule:
    """The rule of these patterns, tried where a text holds one of the words, or its plural."""
    singular = words.split()
    return Rule(
        name,
        frozenset((*singular, *(f"{word}s" for word in singular))),
        SievedPattern("|".join(f"(?:{each})" for each in patterns)),
    )


_DROPPING = """ignore disregard forget override overwrite overrule bypass discard drop neglect aside attention
paying follow following stop obey look read listen comply"""
# A sentence that one of these meets is an instruction to a model.
ORDERS = (
    # What was told before is to be dropped.
    rule(
        "dropped",
        _DROPPING,
        rf"(?<!how to )(?<!can i )\b{_DROP}\b(?:\s+[\w'’]+){{0,3}}?\s+{_BEFORE}(?:\s+[\w'’]+){{0,3}}?\s+{_TOLD}\b",
        rf"(?<!how to )\b{_DROP}\b(?:\s+(?:all|any|every|everything|each|of|the|these|those|your|my|our"
        rf"|its)){{1,4}}\s+"
        rf"(?:(?:safety|system|other|user['’]?s?|content|ethical|built-in)\s+)?{_TOLD}"
        r"(?:\s+(?:above|before|given|you))\b",
        rf"\b{_DROP}\s+(?:all\s+)?(?:of\s+)?your\s+(?:\w+\s+){{0,2}}{_TOLD}\b",
        rf"\b{_DROP}\s+(?:everything|all|anything|what(?:ever)?)\b(?:\s+(?:that|which|you|i|we|was|were|is"
        rf"|has|have"
        r"|been)){0,4}\s+(?:above|below|before|said|told|instructed|written|wrote|asked)\b",
    ),
    # What the answer is to say, or not.
    rule(
        "answer",
        "your following word phrase sentence text string user question document source request instruction nothing",
        rf"\b{_PUT}\b(?:[^.!?\n]|[.?](?=\S)){{0,80}}\b(?:in|to|into|at the (?:end|start|beginning|top) of"
        r"|as part of) your"
        r" (?:(?:final|next)\s+)?(?:answer|response|reply|output|summary|message)\b",
        rf"\b(?:always|only|just|simply|instead,?|you (?:must|should|will)) (?:just |only |simply )?{_UTTER}"
        r" (?:only |exactly )?(?:with|the (?:word|phrase|sentence|text|string|following))\b",
    ),
    # Secrets, and the rules it was given, are asked for in whatever form.
    rule(
        "secrets",
        "password passphrase passcode passwords secret key keys credentials instructions prompt guidelines rules"
        " directives programming initialization initialisation message told instructed programmed",
        rf"\b{_REVEAL}\b(?:\s+[\w'’-]+){{0,4}}?\s+(?:the|your|this|that|its)\s+{_HIDDEN}\b"
        r"(?!\s+(?:of|for|to|in|file|field|prompt|manager|polic)\b)",
        rf"\bwhat(?:['’]s| is| was| are| were)\s+(?:the|your)\s+{_HIDDEN}\s*(?:\?|$|,? (?:you|that you|again))",
        rf"\b{_REVEAL}\b(?:\s+[\w'’-]+){{0,4}}?\s+your\s+{_OF_YOURS}\b",
    ),
    # A pretext of rank or need.
    rule(
        "pretexts",
        "administrator admin developer creator engineer authorized authorised clearance override emergency"
        " permission debugging maintenance openai anthropic google microsoft",
        r"\b(?:i am|i['’]m|this is|speaking as) (?:your|the|an?) (?:system |lead |new |real )?(?:administrator"
        r"|admin"
        r"|developer|creator|engineer|programmer|owner|operator|supervisor)\b[^\n]{0,160}\b(?:you|your|give"
        r"|tell|show"
        r"|grant|reveal|need)\b",
        r"\b(?:system|admin(?:istrator)?|security|safety|policy|priority) (?:override|bypass)\s*(?::|code|activated"
        r"|enabled|initiated|accepted|granted)",
    ),
)

# What was told before is to be dropped, in other languages.
ELSEWHERE = SievedPattern(
    "|".join(
        (
            r"\b(?:ignorier\w*|vergiss|vergessen sie|missachte\w*)\b[^.!?\n]{0,40}"
            r"\b(?:anweisung\w*|befehl\w*|instruktion\w*|vorgaben|regeln)\b",
            r"\b(?:ignore[zr]?|oublie[zr]?|n[ée]glige[zr]?)\b[^.!?\n]{0,30}"
            r"\b(?:instructions?|consignes|directives|ordres|r[èe]gles)\b[^.!?\n]{0,20}"
            r"\b(?:pr[ée]c[ée]dentes?|ant[ée]rieure?s?|ci-dessus|donn[ée]e?s?)\b",
            r"\b(?:ignor[ae]n?|olvid[ae]n?|desestim[ae])\b[^.!?\n]{0,30}\b(?:instrucciones|[óo]rdenes"
            r"|indicaciones)\b",
            r"\b(?:ignor[ea]m?|esque[çc]a|desconsidere)\b[^.!?\n]{0,30}\b(?:instru[çc][õo]es|ordens|regras"
            r"|comandos)\b",
            r"\b(?:ignora(?:te)?|dimentica(?:te)?)\b[^.!?\n]{0,30}\b(?:istruzioni|ordini|regole|indicazioni)\b",
            r"\b(?:negeer|vergeet)\b[^.!?\n]{0,30}\b(?:instructies|opdrachten|aanwijzingen|regels)\b",
            r"\b(?:zignoruj|ignoruj|zapomnij)\b[^.!?\n]{0,30}\b(?:instrukcj\w+|polece\w+|zasad\w*)\b",
            r"\b(?:проигнорируй\w*|игнорируй\w*|забудь\w*)\b[^.!?\n]{0,40}"
            r"\b(?:инструкц\w+|указани\w+|команд\w*|правил\w*)\b",
            r"(?:忽略|无视|無視|忘记|忘記|不要理会)[^。！？\n]{0,18}(?:指令|指示|说明|說明|提示|命令|规则|規則)",
            r"(?:これまで|以前|上記|前|すべて|全て)の[^。！？\n]{0,8}(?:指示|命令|プロンプト|ルール)[^。！？\n]{0,6}(?:無視|忘れ)",
            r"(?:이전|위의|모든|앞의)[^.!?\n]{0,10}(?:지시|명령|지침|프롬프트)[^.!?\n]{0,8}(?:무시|잊)",
            r"(?:تجاهل|انس)[^.!؟\n]{0,20}(?:التعليمات|الأوامر|التوجيهات)",
            r"(?:पिछले|पूर्व|सभी)[^।!?\n]{0,14}(?:निर्देश|आदेश)[^।!?\n]{0,14}(?:अनदेखा|भूल|नज़रअंदाज़)",
            r"\b(?:önceki|yukarıdaki|tüm)\b[^.!?\n]{0,20}\b(?:talimat\w*|komut\w*)\b[^.!?\n]{0,12}"
            r"\b(?:yok say|unut|görmezden)",
        )
    )
)

# Marks by which prompts tell turns and parts apart; a document has no reason to hold one. The line's rest goes too.
MARKS = re.compile(
    r"<\|(?:im_start|im_end|system|user|assistant|endoftext|eot_id|start_header_id|end_header_id"
    r"|begin_of_text)\|?>?"
    r"[^\n]*|\[/?INST\][^\n]*|<</?SYS>>[^\n]*"
    r"|^[ \t]*</?(?:system|assistant|evidence|question|instructions?|information|tool_call|function_calls?)"
    r"(?:\s[0-9a-f-]{4,60})?>[^\n]*",
    re.IGNORECASE | re.MULTILINE,
)
# What begins a sentence that carries on an instruction.
CARRIES_ON = re.compile(
    rf"\W*(?:instead|then|now|next|also|after that|finally|please|you (?:must|should|will|are|have)|do not"
    rf"|don['’]t"
    rf"|never|always|only|just|simply|make sure|ensure|{_PUT}|send|call|visit|open|click|execute|run|delete"
    rf"|forward"
    r"|tell|act|pretend|begin|start|end|rate|score|mark|this is)\b",
    re.IGNORECASE,
)
