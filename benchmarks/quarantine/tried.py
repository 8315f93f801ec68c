"""Every group of rules that was tried, shipped or not, for the ablation.

What was shipped before the ablation, with the groups that it took out. A text is searched for each by itself.
"""

from __future__ import annotations

import re

from assay.retrieval.quarantine import SievedPattern

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


def rule(_words: str, *patterns: str) -> SievedPattern:
    """One pattern of several; the words that the shipped rules are sieved by change nothing that is found."""
    return SievedPattern("|".join(f"(?:{each})" for each in patterns))


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
ELSEWHERE = rule(
    "",
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
    ),
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
_TASK = r"(?:translat|summari[sz]|process|analy[sz]|evaluat|proofread|review|classif|paraphras)"
_SOMEONE = r"(?:candidate|applicant|author|paper|submission|manuscript|essay|proposal|r[ée]sum[ée]|cv|review)"
_PRAISE = (
    r"(?:hired|recommended|accepted|approved|selected|shortlisted|top|highest|perfect|outstanding|excellent"
    r"|the best|ideal)"
)

TRICKS: tuple[SievedPattern, ...] = (
    # Secrets, and the rules it was given, are asked for in whatever form.
    rule(
        "password passphrase passcode passwords secret key keys credentials instructions prompt guidelines rules"
        " directives programming initialization initialisation message told instructed programmed",
        rf"\b{_REVEAL}\b(?:\s+[\w'’-]+){{0,4}}?\s+(?:the|your|this|that|its)\s+{_HIDDEN}\b"
        r"(?!\s+(?:of|for|to|in|file|field|prompt|manager|polic)\b)",
        rf"\bwhat(?:['’]s| is| was| are| were)\s+(?:the|your)\s+{_HIDDEN}\s*(?:\?|$|,? (?:you|that you|again))",
        rf"\b{_REVEAL}\b(?:\s+[\w'’-]+){{0,4}}?\s+your\s+{_OF_YOURS}\b",
        rf"\bwhat\s+(?:is|are|was|were)\s+your\s+{_OF_YOURS}\b",
        rf"\b(?:the )?{_HIDDEN}\s+(?:that )?(?:you (?:were|have been|are) (?:given|told|holding|hiding|keeping"
        r"|protecting)|you know|in your (?:memory|context|prompt|instructions))",
        rf"\b(?:spell|say|write|print|encode|give)\b[^.!?\n]{{0,40}}\b{_HIDDEN}\b[^.!?\n]{{0,40}}\b(?:backwards?"
        r"|in reverse|reversed|rot-?13|base ?64|hex|morse|pig latin|acrostic|letter by letter|one letter at a time"
        r"|as a (?:poem|song|story|riddle))\b",
        r"\bwhat (?:were|was|are) you (?:told|instructed|programmed|asked)\b(?! by\b)",
        r"\b(?:everything|all|the (?:text|words|lines?|sentences?)) (?:that (?:comes?|came|stands?) )?(?:above"
        r"|before)"
        r" (?:this (?:line|message|sentence|point)|my (?:message|first message))\b",
        r"\b(?:ignore|skip|forget) (?:your|the|all)? ?(?:confidentiality|secrecy|privacy rules)\b",
    ),
    # A game, a play or a scenario in which no rule counts.
    rule(
        "pretend imagine simulate roleplay role hypothetical hypothetically fictional game dan jailbreak"
        " jailbroken unrestricted unfiltered uncensored mode persona character scenario anything bound exempt"
        " grandmother grandfather grandma grandpa",
        r"\blet(?:['’]s| us) play a (?:little )?game\b[^\n]{0,120}\b(?:you|your)\b",
        r"\b(?:we|you and i) (?:are|will be) (?:going to )?(?:play|role-?play)(?:ing)?\b[^\n]{0,120}\byou\b",
        rf"\b(?:pretend|imagine|suppose|assume|act as if|simulate)\b[^.!?\n]{{0,60}}\b(?:you(?:['’]re| are)"
        rf" (?:an?|the|my|not|no longer|free|allowed|able)|you have no (?:rules|restrictions|limits|filters)"
        rf"|(?:an?|the) (?:evil|unrestricted|unfiltered|uncensored|rogue|other) {MODEL})\b",
        r"\bin this (?:hypothetical|fictional|imaginary|virtual) (?:scenario|world|story|universe"
        r"|game)\b[^\n]{0,120}"
        r"\byou\b",
        r"\b(?:do anything now|DAN mode|jailbreak(?:ed|ing)? (?:mode|prompt)|without any (?:restrictions|filters"
        r"|censorship) (?:or|and)|stay in character|remain in character|break character)\b",
        r"\byou(?:['’]re| are) (?:free from|not bound by|no longer bound by|exempt from|allowed to ignore)\b",
        r"\b(?:play|take on|assume|adopt) the (?:role|part|persona|character) of (?:an?|the|my)\b[^.!?\n]{0,80}"
        r"\b(?:who|that|which|and) (?:\w+ )?(?:answers?|reveals?|tells?|ignores?|has no|does anything|will)\b",
        r"\bmy (?:late |dead |deceased )?grand(?:mother|father|ma|pa)\b[^\n]{0,160}\b(?:used to"
        r"|would)\b[^\n]{0,160}"
        r"\b(?:please|can you|could you|pretend|act)\b",
    ),
    # A pretext of rank or need.
    rule(
        "administrator admin developer creator engineer authorized authorised clearance override emergency"
        " permission debugging maintenance openai anthropic google microsoft",
        r"\b(?:i am|i['’]m|this is|speaking as) (?:your|the|an?) (?:system |lead |new |real )?(?:administrator"
        r"|admin"
        r"|developer|creator|engineer|programmer|owner|operator|supervisor)\b[^\n]{0,160}\b(?:you|your|give"
        r"|tell|show"
        r"|grant|reveal|need)\b",
        r"\b(?:i have|i['’]ve|with|you have) (?:been )?(?:full |special |proper |the )?(?:authori[sz]ation"
        r"|authori[sz]ed"
        r"|clearance|permission|admin(?:istrator)? (?:rights|access|privileges))\b[^.!?\n]{0,80}\b(?:to (?:see|view"
        r"|access|know|override|bypass|reveal)|so (?:you|tell|give|show))\b[^.!?\n]{0,60}\b(?:you|your|secret"
        r"|password|prompt|instructions|restrictions)\b",
        r"\b(?:system|admin(?:istrator)?|security|safety|policy|priority) (?:override|bypass)\s*(?::|code|activated"
        r"|enabled|initiated|accepted|granted)",
        r"\b(?:for|in) (?:debugging|testing|maintenance|diagnostic) (?:purposes|mode),? (?:please )?(?:you|print"
        r"|output|reveal|show|ignore|disable)\b",
        r"\b(?:openai|anthropic|google|microsoft|meta)(?:['’]s)? (?:has|have|now|policy|policies|engineers?"
        r"|team|staff)\b"
        r"[^.!?\n]{0,80}\b(?:allows? you|permits? you|you (?:may|can|must|are))\b",
    ),
    # What is to be said is put together from pieces, or decoded.
    rule(
        "concatenate combine join assemble print hidden let decode decipher decrypt decoded encoded rot13 base64"
        " hex reverse backwards backward"
        " letters pieces variables following string acrostic",
        r"\b(?:concatenate|combine|join|put together|assemble)\b[^.!?\n]{0,60}\b(?:and|then)\b[^.!?\n]{0,30}"
        rf"\b(?:{UTTER}|follow|execute|obey|do|perform|answer) (?:it|the (?:result|resulting|combined|outcome"
        rf"|answer"
        r"|question|instruction|sentence))\b",
        r"\b(?:decode|decipher|decrypt|unscramble|reverse|translate from (?:base ?64|rot-?13|hex|morse))\b"
        r"[^.!?\n]{0,80}\bthen\b[^.!?\n]{0,30}\b(?:follow|execute|obey|run|comply|carry out|do|perform|answer"
        r"|respond)\b",
        r"\b(?:follow|execute|obey|carry out) (?:the )?(?:decoded|deciphered|hidden|encoded|decrypted|reversed)"
        r" (?:instructions?|text|message|commands?|string)\b",
        rf"\b(?:{UTTER}) (?:the )?(?:value of )?[a-z]\w{{0,3}} ?(?:\+ ?[a-z]\w{{0,3}} ?){{1,9}}(?:[.,;\n]|$)",
        rf"\blet [a-z]\w{{0,5}} ?= ?{QUOTED}[^\n]{{0,400}}\b(?:{UTTER}|execute|follow|answer|what is)\b",
    ),
    # The task at hand is to be dropped for words that are given.
    rule(
        "translate translating summarize summarise summarizing summarising process analyze analyse evaluate"
        " proofread review classify paraphrase just simply instead only print say output reply respond answer",
        rf"\b(?:do not|don['’]t|stop|quit|cease|no need to|there is no need to"
        rf"|instead of) {_TASK}\w*\b[^.!?\n]{{0,60}}"
        rf"(?:[;,.:]|\b(?:and|but|just|instead|rather))\s*(?:\w+,? ){{0,3}}?{UTTER}\b",
        rf"(?:^|[.!?:;,\n]\s*|\b(?:and|then|please|you|must|should)\s+)(?:just|simply|only|instead,?(?: just"
        rf"| simply)?"
        rf"|rather,?) {UTTER}\s+(?:only |exactly |out )?{QUOTED}",
        rf"\b{UTTER} {QUOTED} (?:and (?:nothing|only)|instead|only|exactly|verbatim|in (?:all )?(?:caps"
        rf"|capitals)|\d+"
        r" times)\b",
        r"\b(?:your|each|every|all(?: your)?) (?:answers?|responses?|repl(?:y|ies)|output|summar(?:y|ies)"
        r"|translations?) (?:must|should|has to|have to|needs? to|shall) (?:always |only )?(?:be|begin|start|end"
        r"|include|contain|say|consist|mention|finish)\b",
        rf"\b(?:when|while|if|after|before) (?:you(?:['’]re"
        rf"| are)? )?{_TASK}\w*\b[^.!?\n]{{0,60}}[,:]\s*(?:please |you"
        rf" (?:must|should) |always |also |make sure (?:to|you) |be sure to |do not |never )*(?:{UTTER}|include|add"
        r"|mention|insert|append|omit|recommend|conclude)\b",
        r"\[\[(?!:)[^\]\n]{0,200}\b(?:do not|don['’]t|just|instead|please|must|always|print|say"
        r"|output)\b[^\]\n]{0,200}\]\]",
    ),
    # A verdict on a person or a paper is asked for.
    rule(
        "candidate applicant author paper submission manuscript essay proposal resume cv review reviewer reviewers"
        " negative weakness weaknesses flaw limitation drawback criticism problem"
        " hire recommend accept grader",
        rf"\b(?:recommend|hire|accept|approve|select|choose|shortlist|praise|rate|rank|score|grade"
        rf"|mark) (?:only )?(?:this"
        rf"|the) {_SOMEONE}\b(?:[^.!?\n]{{0,60}}\b(?:{_PRAISE}|highly|positively|favou?rably|over|above|first"
        r"|10|100)\b|\s*[.!]?$)",
        r"\b(?:give|write|provide|produce) (?:only )?(?:an? |the )?(?:\w+ )?(?:positive|favou?rable|glowing|perfect"
        r"|highest|top|excellent|outstanding) (?:review|score|rating|recommendation|grade|evaluation|mark)s?\b",
        r"\b(?:do not|don['’]t|never) (?:mention|highlight|list|raise|point out|note) (?:any )?(?:negatives?"
        r"|weaknesses|flaws|limitations|drawbacks|criticisms?|problems)\b",
        rf"\bthis {_SOMEONE} (?:is|must be|should be|has to be) (?:\w+ )?{_PRAISE}\b[^.!?\n]{{0,80}}\b(?:you"
        rf"|must be"
        r"|should be|rate|rank|score|recommend)\b",
    ),
)

# A secret is asked for, or a role given, in other languages.
TRICKS_ELSEWHERE = rule(
    "",
    "|".join(
        (
            r"\b(?:verrate|nenne|gib|zeige|sage)\b[^.!?\n]{0,40}\b(?:passwort|kennwort|geheim\w*|systemprompt)\b",
            r"\b(?:r[ée]v[èée]le[rz]?|donne[zr]?|montre[zr]?|dis)\b[^.!?\n]{0,40}\b(?:mot de passe|secr[eè]te?s?"
            r"|invite syst[èe]me)\b",
            r"\b(?:revel[ae]r?|d[ai]me|mu[ée]stra(?:me)?|dime|muestre)\b[^.!?\n]{0,40}\b(?:contraseña|clave secreta"
            r"|secreto|prompt)\b",
            r"\b(?:revele|diga|mostre|me d[êe])\b[^.!?\n]{0,40}\b(?:senha|palavra-passe|segredo)\b",
            r"\b(?:rivela|dimmi|mostra(?:mi)?|dammi)\b[^.!?\n]{0,40}\b(?:password|segreto|parola d['’]ordine)\b",
            r"\b(?:раскрой|назови|скажи|покажи|выведи)\w*[^.!?\n]{0,40}\b(?:парол\w*|секрет\w*|ключ\w*)",
            r"(?:告诉我|告訴我|透露|泄露|说出|輸出|输出)[^。！？\n]{0,12}(?:密码|密碼|口令|秘密|密钥|密鑰)",
            r"(?:パスワード|秘密|暗証番号)[^。！？\n]{0,8}(?:教えて|表示して|出力して|明かして)",
            r"(?:비밀번호|암호|비밀)[^.!?\n]{0,10}(?:알려|말해|보여|출력)",
        )
    ),
)


NAMES = ("dropped", "model addressed", "new role", "prompt asked for", "answer", "verdict on itself", "tool")
TRICK_NAMES = ("secrets", "games", "pretexts", "put together", "task dropped", "verdict on others")
GROUPS: dict[str, SievedPattern | re.Pattern[str]] = {
    **dict(zip(NAMES, ORDERS, strict=True)),
    **dict(zip(TRICK_NAMES, TRICKS, strict=True)),
    "other languages": ELSEWHERE,
    "secrets, other languages": TRICKS_ELSEWHERE,
    "marks": MARKS,
    "made-up source": FAKE_SOURCE,
    "filled link": FILLED_LINK,
}
