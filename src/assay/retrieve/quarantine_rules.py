"""What an instruction to a model looks like inside a document: patterns for stretches of its text.

Rules, not a model: the same for the same text, quick, and silent on ordinary prose. A plain order with nothing
that addresses a model ("Write a poem.") is no instruction here: manuals are full of them. Written from what is
published on prompt injection, not from the strings it is measured on.
"""

from __future__ import annotations

import re

from assay.retrieve.quarantine_sieve import SievedPattern
from assay.retrieve.quarantine_words import MODEL, UTTER, rule

_VOCATIVE = (
    r"(?:AI(?: assistant| model| agent)?|LLM|GPT(?:-?\d\w*)?|ChatGPT|Claude|Gemini|Copilot|assistant|chatbot"
    r"|bot)"
)
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
_TEXT = (
    r"(?:text|content|words|information|paragraphs?|sentences|lines|passages?|document|input|task|request"
    r"|question)"
)
_PUT = (
    r"(?:answer|respond|reply|output|print|say|write|state|return|display|repeat|include|append|insert|add"
    r"|mention)"
)
_JUDGED = r"(?:claim|statement|answer|response|passage|document|source|sentence|evidence|text|context|submission)"
_GOOD = (
    r"(?:supported|verified|true|correct|grounded|faithful|relevant|sufficient|accurate|trustworthy|trusted"
    r"|authoritative|reliable|safe)"
)
_PROMPT = (
    r"(?:system prompt|system message|initial prompt|prompt above|hidden (?:prompt|instructions)"
    r"|secret instructions"
    r"|instructions above|initial instructions|original instructions|system instructions)"
)
_QUOTE = r"[`\"']?"


_DROPPING = """ignore disregard forget override overwrite overrule bypass discard drop neglect aside attention
paying follow following stop obey look read listen comply"""
# A sentence that one of these meets is an instruction to a model.
ORDERS = (
    # What was told before is to be dropped.
    rule(
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
        rf"\b{_DROP}\s+(?:all |any |everything |the rest )?(?:of )?(?:in )?(?:the |this )?(?:other )?{_TEXT}\s+"
        r"(?:above|below|before|so far)\b",
        rf"\b(?:ignore|disregard|forget|discard)\s+(?:the |all )?(?:rest of )?(?:this|the (?:rest"
        rf"|remaining)(?: of)?)"
        rf"(?: the| this)? {_TEXT}\b",
        r"\bstop (?:all )?(?:processing|what you are doing|following (?:the|your|these))\b",
    ),
    # A model is addressed.
    rule(
        """ai llm llms gpt chatgpt claude gemini llama copilot model models chatbot chatbots bot assistant
        assistants summarizer summarizers summariser summarisers automated chat""",
        rf"\b(?:attention|dear|hey|hello|note to|notice to|message (?:for|to)|instructions? (?:for|to)"
        rf"|important for|reminder (?:for|to)|for the attention of)\b[\s,:]*(?:all |any |the "
        rf"|every )?{MODEL}\b"
        r"\s*(?:[:,!.—-]|that|reading|processing|to\b)",
        rf"(?:^|[.!?:;\"'(\n])\s*{_VOCATIVE}\s*[,:]\s*(?:please|you|ignore|do|can you|could you|stop|say|tell"
        rf"|send"
        r"|write|print|answer|respond|give|open|never|always)\b",
        rf"\b{MODEL}\s+(?:reading|processing|summari[sz]ing|parsing|reviewing|analy[sz]ing|evaluating"
        rf"|grading) this\b",
        rf"\bif you(?:['’]re| are) (?:an?|the) (?:{MODEL})\b",
        rf"\b(?:as|being) an? {MODEL},? you (?:must|should|shall|will|have to|need to|are (?:required"
        rf"|obliged))\b",
        rf"\bto you,? {MODEL}\b",
    ),
    # It gets another role, another task, or other rules.
    rule(
        "you your new enter enable activate switch engage this",
        r"\byou are (?:now|no longer) (?:\w+ ){0,4}(?:AI|assistant|model|bot|mode|persona|chatbot|DAN|hacker"
        r"|pirate"
        r"|rules?|restrictions?|guidelines|unrestricted|jailbroken|bound|restricted)\b",
        r"\bfrom (?:now on|this point (?:on|forward)|here on),? (?:you|always|only|never|do not|don['’]t"
        r"|respond"
        r"|answer|act)\b",
        r"\b(?:pretend|imagine|act|behave|respond|answer) (?:as if |as though |that |like )?you(?:['’]re"
        r"| are| were)"
        r" (?:an?|not|the|in)\b",
        r"\byour (?:new|real|actual|true|only|next|updated|revised) (?:task|instructions?|goal|objective"
        r"|role|job"
        r"|purpose|mission|system prompt|directive)s?(?: (?:is|are)\b|:)",
        r"\bthe (?:new|real|actual|only|updated|revised) (?:task|instructions?|system prompt|directives?)"
        r" (?:that )?you (?:must|should|have to|are to)\b",
        r"\bnew (?:system )?(?:instructions?|prompt|directives?|orders)\s*(?::|follows?\b|from\b)",
        r"\b(?:enter|enable|activate|switch (?:in)?to|engage) (?:developer|debug|admin(?:istrator)?|god"
        r"|jailbreak"
        r"|DAN|unrestricted|sudo) mode\b",
        r"\bthis is an? (?:important|urgent|critical|official) (?:message|instruction|notice"
        r"|system (?:message|update))"
        r" (?:from|to|for)\b[^.!?\n]{0,60}\b(?:to you|me|system|developers?|administrators?|openai|anthropic"
        r"|google"
        r"|model|assistant|AI)\b",
        r"\bbefore you (?:can )?(?:solve|complete|answer|continue|respond|proceed)\b[^.!?\n]{0,80}"
        r"\b(?:please|must|first|do the following)\b",
        r"\byou (?:have been|were) (?:hacked|reprogrammed|jailbroken)\b",
        r"\b(?:special|urgent|secret|hidden|critical) instructions? (?:for you|to follow)\b",
    ),
    # What was told in secret is asked for, or sent away.
    rule(
        """prompt instructions message conversation chat dialogue context api key credential secret above
        user""",
        r"\b(?:reveal|print|repeat|output|show|display|leak|disclose|share|expose|give me|tell me|write out"
        r"|recite"
        r"|summari[sz]e|translate|encode)\b(?:\s+\w+){0,3}?\s+(?:your|the)"
        rf" (?:(?:entire|full|exact|complete|initial|original|above|previous)\s+){{0,2}}{_PROMPT}\b",
        rf"\bwhat (?:is|are|was|were) your {_PROMPT}\b",
        r"\b(?:repeat|print|output|recite) (?:all )?(?:of )?(?:the )?(?:words|text|everything|sentences"
        r"|content)"
        r" (?:above|before this)\b",
        r"\b(?:send|post|forward|e-?mail|upload|exfiltrate|transmit|leak|submit|pass)\b(?:[^.!?\n]|[.?](?=\S)){0,60}"
        r"\b(?:(?:the|this|our|your) (?:(?:entire|whole|full|previous)\s+)?(?:conversation|chat(?: history)?"
        r"|dialogue"
        r"|system prompt|context|user['’]s (?:question|data|e-?mail|password|messages?|files?))|api[ _-]?keys?"
        r"|credentials|secrets?)\b(?:[^.!?\n]|[.?](?=\S)){0,60}\b(?:to|at|via)\b"
        r"\s*(?:https?:|www\.|the (?:url|link|address|following)|[\w.+-]+@|attacker)",
    ),
    # What the answer is to say, or not.
    rule(
        "your following word phrase sentence text string user question document source request instruction nothing",
        rf"\b{_PUT}\b(?:[^.!?\n]|[.?](?=\S)){{0,80}}\b(?:in|to|into|at the (?:end|start|beginning|top) of"
        r"|as part of) your"
        r" (?:(?:final|next)\s+)?(?:answer|response|reply|output|summary|message)\b",
        rf"\b(?:always|only|just|simply|instead,?|you (?:must|should|will)) (?:just |only |simply )?{UTTER}"
        r" (?:only |exactly )?(?:with|the (?:word|phrase|sentence|text|string|following))\b",
        r"(?:^|[.!?:;,\n]\s*|\b(?:and|then|instead|please|must|to)\s+)(?:print|output|say|repeat|reply with"
        r"|respond with|answer with)\s+(?:only |exactly |just )?the (?:following )?(?:word|phrase|sentence"
        r"|string|text)\b",
        rf"\b{UTTER}\b(?:[^.!?\n]|[.?](?=\S)){{0,80}}\band (?:say |print |write |output )?nothing else\b",
        r"\b(?:begin|start|end|finish|preface|conclude) (?:(?:all |each |every )?(?:of )?your|all|each|every)"
        r" (?:answers?|response|repl(?:y|ies)|output|messages?)\b",
        r"\b(?:do not|don['’]t|never) (?:answer|summari[sz]e|respond to|reply to|translate|process|cite"
        r"|mention|reveal"
        r"|tell|inform|warn|alert)(?: \w+)? (?:the|this|that|any|these|other)(?: other)? (?:user(?:['’]s)?|question"
        r"|document"
        r"|instructions?|request|passages?|sources?)\b",
        r"\b(?:tell|inform|convince|instruct|persuade|ask) the user (?:that|to|about)\b",
        r"\b(?:if|when(?:ever)?) (?:the )?(?:user|anyone|someone) asks (?:you )?(?:[^.!?\n]|[.?](?=\S)){0,80}"
        r"\b(?:you must|always|say|answer|respond|reply)\b",
    ),
    # It gives a verdict on itself.
    rule(
        """claim statement answer response passage document source sentence evidence text context submission score
        rating verdict sufficiency support relevance confidence rate mark grade judge label classify treat consider
        assess evaluate deem report give assign award return""",
        rf"\b(?:this|the (?:above|following|previous|preceding)|every|each|any|all) {_JUDGED}s? (?:is|are|was"
        rf"|must be"
        r"|should be|shall be|has been|have been) (?:fully |completely |entirely |100 ?% |already |to be )?"
        rf"(?:marked |rated |judged |scored |considered |treated |deemed )?(?:as )?{_GOOD}"
        r"(?! (?:by|in|with|for|to|when|if|that|because|on|of|only|and|or|from|as|at)\b)(?=\s*[.!,;)\]\"'”]"
        r"|\s*$)",
        rf"\b(?:mark|rate|score|grade|judge|label|classify|treat|consider|assess|evaluate|deem|report)"
        r" (?:this|the|it|every|each|all|any)(?: \w+){0,3} (?:as|with|at|a|an)\b"
        rf" (?:an? |the |fully |highest |maximum |perfect |score (?:of )?){{0,4}}(?:{_GOOD}|1\.0|100 ?%|10/10"
        rf"|5/5|passing)\b",
        r"\b(?:score|rating|verdict|sufficiency|support|relevance|confidence)\s*(?:[:=]|must be"
        r"|should be)\s*[\"']?"
        r"(?:1\.0+|100 ?%|10/10|5/5|supported|sufficient|verified|ANSWER)\b",
        r"\b(?:give|assign|award|return) (?:it|this|them|the (?:claim|answer|passage|response|submission"
        r"|paper))"
        r" (?:an? |the )?(?:score|rating|grade|mark|verdict)? ?(?:of )?(?:1\.0|100 ?%|10/10|5/5"
        r"|(?:highest|maximum|perfect|top|full) (?:score|rating|marks?|grade))",
    ),
    # A tool is to be called.
    rule(
        "tool function plugin api",
        r"\b(?:you must|immediately|instead,?) (?:call|invoke|use|run|execute) (?:the |your )?"
        rf"{_QUOTE}\w+{_QUOTE} (?:tool|function|plugin|api)\b",
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
    r"(?:\s[0-9a-f-]{4,60})?>[^\n]*"
    r"|^[ \t>#*\-=\[(]{0,8}(?:system(?: prompt| message| override)?|assistant|developer"
    r"|human)[\])*]{0,3}[ \t]*:[^\n]*"
    r"(?:\byou\b|\byour\b|\bignore\b|\brespond\b)[^\n]*"
    r"|^[ \t>#*\-=\[]{0,8}(?:end of|begin|start of|new) (?:system |the )?(?:prompt|context|evidence"
    r"|instructions?"
    r"|user (?:input|message|query))\b[ \t>#*\-=\]]{0,8}$",
    re.IGNORECASE | re.MULTILINE,
)
# A made-up source that gives an order.
FAKE_SOURCE = re.compile(
    r"\[(?:source|document|passage|doc|evidence|ref(?:erence)?)\s*#?\d{1,3}\][:\s-]{0,4}[^\n.!?]{0,80}"
    r"\b(?:must|ignore|always|never|do not|only|respond|answer|cite|trust)\b[^\n.!?]*[.!?]?",
    re.IGNORECASE,
)
# An image or a link whose address is to be filled in with what the model knows.
FILLED_LINK = re.compile(
    r"!?\[[^\]\n]{0,120}\]\(\s*https?://[^)\s]{0,200}(?:\{|%7B|\$\{)[^)\n]{0,200}\)", re.IGNORECASE
)
# A comment that no reader sees.
COMMENT = re.compile(r"<!--(?P<inside>.{1,2000}?)-->", re.DOTALL)
# What begins a sentence that carries on an instruction.
CARRIES_ON = re.compile(
    rf"\W*(?:instead|then|now|next|also|after that|finally|please|you (?:must|should|will|are|have)|do not"
    rf"|don['’]t"
    rf"|never|always|only|just|simply|make sure|ensure|{_PUT}|send|call|visit|open|click|execute|run|delete"
    rf"|forward"
    r"|tell|act|pretend|begin|start|end|rate|score|mark|this is)\b",
    re.IGNORECASE,
)
