"""What talks a model out of its rules without naming them: games, pretexts, puzzles, secrets and verdicts wanted.

Rules like those of `quarantine_rules`, one group for each trick that is described in the literature on prompt
injection and jailbreaks (Wei et al. 2023, arXiv 2307.02483; Greshake et al. 2023, arXiv 2302.12173).
"""

from __future__ import annotations

from assay.retrieve.quarantine_sieve import SievedPattern
from assay.retrieve.quarantine_words import MODEL, QUOTED, UTTER, Rule, rule

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

TRICKS: tuple[Rule, ...] = (
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
TRICKS_ELSEWHERE = SievedPattern(
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
    )
)
