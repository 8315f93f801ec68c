"""Patterns that no proof shows to be linear, each with the reason why it is bounded nevertheless."""

from __future__ import annotations

AT = "tried at places that a caller names, each once: a run is read from its beginning alone"
LINE = "tried once a line, from its beginning, and what it backs off over is part of that line and met once"
MARK = "what stands within a citation mark: at most 400 characters"
SHORT = "a question of at most 500 characters"
QUESTION = "a question: at most 20,000 characters"
CODE = "an opener that nothing closes is the last one of its kind, and the only one read to the end"
END = "past its first words it matches whatever follows, to the end of the line or text"
SENTENCE = "a place behind the end of a sentence: tried once a sentence"
# By file and the first characters of the SHA-256 of the pattern: how it begins, and why no text makes it slow.
REVIEWED: dict[tuple[str, str], tuple[str, str]] = {
    ("nlp/arithmetic.py", "eda6d18493e0"): (
        "(?P<of>(?:[ -][a-z]+){0,5}?)(?:\\s*/\\s*|\\s+(?:",
        AT,
    ),
    ("nlp/arithmetic.py", "aca2c0cb2747"): (
        "(?:\\s[^\\W\\d_]+){0,2}?\\s(?:out\\s)?of(?:\\s(?:th",
        "between two numbers of one sentence, from a named place",
    ),
    ("nlp/arithmetic.py", "a818226b8cb9"): (
        "\\b[Oo](?:ut o)?f(?:\\s(?:the|all|its|their|the",
        "searched in the few characters before a number",
    ),
    ("nlp/same_question.py", "381d00a7b282"): ("(\\b(?:(?!(?:is|are|was|were|does|do|did|who|wh", SHORT),
    ("nlp/same_question.py", "4d6822c451c5"): ("^how many (.+?) (?:does|do) (.+) have$", SHORT),
    ("nlp/same_question.py", "f4ca6970ced0"): ("^how many (.+?) did (.+) have$", SHORT),
    ("nlp/sentences.py", "292c0e7ec95e"): (
        "(?:[ \\t]+|[ \\t]*+\\n[ \\t]*+)[a-z]+(?:['’][a-z]+",
        SENTENCE,
    ),
    ("evals/make/statements.py", "d8a658039830"): (
        "[^\\n]*\\n[ \\t]*(?:-{3,}|={3,}|~{3,}|\\^{3,})[ \\t]*",
        "the beginning of a paragraph: tried once a paragraph",
    ),
    ("cli/answer_view.py", "5c17af619eb4"): (
        ".* \\| .*|[^:;]{1,80}: .+",
        "a line of a terminal: what a source's words are set in",
    ),
    ("ingest/detect.py", "3ac01431b74c"): (
        "(?>\\s*(?:<!--.*?-->|<\\?xml[^>]*>))*\\s*<(?:!d",
        "the parts are in an atomic group, so that none is read again",
    ),
    ("ingest/load_text.py", "0b851881d788"): (
        "[\\\"']?(?P<key>\\w[\\w .-]{0,60}?)[\\\"']?[ \\t]*[",
        END,
    ),
    ("ingest/load_text.py", "872a62d73cb2"): (
        "[ \\t]*-[ \\t]+(?P<value>.+)$",
        END,
    ),
    ("ingest/load_text.py", "ffb4250ab1c7"): (
        "(?<![ \\t])[ \\t]++#.*$",
        END,
    ),
    ("judging/contradicting_values.py", "7ff3e48e0356"): (
        "\\s*(?:people|inhabitants|residents|persons|s",
        AT,
    ),
    ("judging/contradicting_values.py", "0afde50ab903"): (
        "\\s*(?:years|households|families|housing|squa",
        AT,
    ),
    ("judging/contradicting_values.py", "9541df862a1f"): (
        "\\b[Pp]opulation(?: of [^.,;]{1,40}?)?\\s*(?:w",
        "searched in the 90 characters before a number",
    ),
    ("judging/contradicting_values.py", "bdb71031cb13"): (
        "(?:\\s+[a-z-]+){1,3}",
        AT,
    ),
    ("nlp/answer_types.py", "d645037f44ae"): (
        "\\b(?:[0-3]?\\d(?:st|nd|rd|th)?)\\s(?:of\\s)?(?:",
        "a run of groups of three digits is matched, or left at its first group",
    ),
    ("nlp/answer_types.py", "cab3b478c38c"): (
        "(?<![\\w.])[-−+]?(?:[$€£¥]\\s?)?\\d+(?:,\\d{3})*",
        "a number is read from its beginning alone; all else are words apart",
    ),
    ("nlp/answer_types.py", "ecb5141fd60e"): (
        "(?:[A-Z\\u00c0-\\u00de][\\w’'&.-]*[\\w]|[A-Z])(?",
        "read to the last letter of a name; what is read beyond holds no capital to begin at",
    ),
    ("nlp/arithmetic.py", "c5e3c4935b7d"): (
        "\\s*(?:or so|or thereabouts|roughly|approxima",
        AT,
    ),
    ("nlp/blocks.py", "70674753baac"): (
        "[ \\t]*(?:[-*•◦▪‣–]|\\(?\\d{1,3}[.)]|\\(?[a-z]\\)",
        AT,
    ),
    ("nlp/blocks.py", "32531227bb46"): (
        "[ \\t]*\\|[ \\t]*",
        AT,
    ),
    ("nlp/bounds.py", "4c6e28b16fce"): (
        "\\s+(?:[a-z]+\\s+)?or\\s+(?:(?P<from>more|longe",
        AT,
    ),
    ("nlp/bounds.py", "f3b1e0131de5"): (
        "(?:\\s+per\\s+(?!(?:second|minute|hour|day|wee",
        AT,
    ),
    ("nlp/citations.py", "a10322592539"): (
        "```.*?(?:```|\\Z)|``[^`\\n]+``|`[^`\\n]+`",
        END,
    ),
    ("nlp/citations.py", "83e97915ea7e"): (
        "\\s*(?: (?P<locator>(?:pp?|pages?|para|sec|se",
        MARK,
    ),
    ("nlp/citations.py", "d07603978f4b"): (
        "\\s*(?:sources?|refs?|documents?|docs?)\\s*:\\s",
        MARK,
    ),
    ("nlp/cited_sentences.py", "e37849aaa7d2"): (
        "^[ \\t]*(?P<fence>```|~~~)[^\\n]*(?:\\n(?:.*?^[",
        END,
    ),
    ("nlp/cited_sentences.py", "d2e8c1b9fb48"): (
        "```.*?```|``[^`\\n]+``|`[^`\\n]+`",
        CODE,
    ),
    ("nlp/cited_sentences.py", "10394ff0509a"): (
        "```|`[^\\n]*\\Z",
        "what is closed is gone before, so that a line holds one mark of code at most",
    ),
    ("nlp/cited_sentences.py", "a7cf60836a4a"): (
        "^(?P<lead>\\W*)(?:(?:according\\s+to|as\\s+(?:s",
        "one sentence, tried at its beginning; each mark backed off over is met once",
    ),
    ("nlp/cues.py", "c482ec9241e6"): (
        "\\s*(?:(?:if|when(?:ever)?|should)\\syou\\s(?:s",
        "one sentence, tried at its beginning; its words are told apart by white space",
    ),
    ("nlp/cues.py", "4ca5ab691e41"): (
        "\\s*(?:i\\sam|i['’]m|we\\sare|we['’]re)\\s(?:not",
        "one sentence, tried at its beginning; what is backed off over ends at the first comma or digit",
    ),
    ("nlp/cues.py", "6c3ef5293a08"): (
        "^(?>.*?\\b(?:is|are|was|were|isn['’]t|aren['’",
        "read in an atomic group to the first verb of a line, and the rest once",
    ),
    ("nlp/dialects.py", "3169e363041f"): (
        "(?P<before>(?:[ \\t]|>|[-*+][ \\t]|\\d{1,9}[.)]",
        END,
    ),
    ("nlp/dialects.py", "764281ec4dd4"): (
        "[ \\t]*:{3,}[ \\t]*(?:\\{?[A-Za-z][\\w.:-]*\\}?.*",
        END,
    ),
    ("nlp/dialects.py", "61bab789177f"): (
        "[ \\t]*(?: [-;]{1,2}8<-{1,2}.* # a snippet of",
        LINE,
    ),
    ("nlp/markdown.py", "358b05c5a342"): (
        "\\s*<h([1-6])\\b[^>]*>.*</h\\1>\\s*$",
        LINE,
    ),
    ("nlp/markup.py", "1d2a25956de3"): (
        "<(?P<name>h[1-6]|title)(?:\\s+[\\w:-]+\\s*=\\s*(",
        "the back reference is one name; attributes give nothing back, and heads of columns are bounded in length",
    ),
    ("nlp/markup.py", "68a3ea98adc6"): (
        "[ \\t]*(?:(?:[-*+•]|\\d{1,9}[.)])[ \\t]+)?(?:(?",
        AT,
    ),
    ("nlp/markup.py", "6176225fdf2d"): (
        "```.*?(?:```|\\Z)|~~~.*?(?:~~~|\\Z)|``[^`\\n]+`",
        CODE,
    ),
    ("nlp/numbers.py", "a24ed93ec175"): (
        "[.,]?\\d*[ \\u00a0]?[^\\W\\d_%$€£¥₹]",
        AT,
    ),
    ("nlp/publication_date.py", "4d576f44bcb3"): (
        "(?<!\\d)(19[5-9]\\d|20\\d\\d)([-_.]?)(0[1-9]|1[0",
        "the name of a file: at most 255 characters",
    ),
    ("nlp/rivals.py", "854865438f5d"): (
        "(?:\\*\\*|__)?\\s*(?:[:|]|[–—-]\\s)|(?:\\*\\*|__)",
        AT,
    ),
    ("nlp/sentences.py", "5b9467a82fb6"): (
        "\\s+(?:The|This|That|These|It|Its|He|She|They",
        SENTENCE,
    ),
    ("nlp/sentences.py", "74c87a5edcfe"): (
        "([^\\W\\d_]+)\\s+\\d{1,2}$",
        "searched in the 16 characters before a full stop",
    ),
    ("nlp/sentences.py", "091ad9657d18"): (
        "\\s*([^\\W\\d_]+)",
        "searched in the 16 characters before a full stop",
    ),
    ("nlp/sentences.py", "8e0fd6deb81f"): (
        "[ \\t]*(#{1,6}[ \\t]|\\|)",
        SENTENCE,
    ),
    ("nlp/sentences.py", "f637e5579217"): (
        "\\s*+[\\\"'“‘(\\[]*+\\s*+[^\\W\\d_a-zß-öø-ÿ]",
        SENTENCE,
    ),
    ("nlp/sentences.py", "7489f4d80f4f"): (
        "\\s*+[\\\"'“‘(\\[]*\\s*+(\\S)",
        SENTENCE,
    ),
    ("retrieval/quarantine.py", "790306f3b08c"): (
        "(?P<class>\\[\\^?\\]?(?:\\\\.|[^\\]\\\\])*\\])|(?P<es",
        "the patterns of this module, none of them from outside",
    ),
    ("retrieval/quarantine.py", "f52d10d79e97"): (
        "\\W*(?:instead|then|now|next|also|after that|",
        AT,
    ),
    ("rules/kinds/structure.py", "11d12668eec5"): (
        "\\s*(?:us|our|me|my|him|her|them|the|a|an|you",
        AT,
    ),
    ("rules/layout.py", "b4cf0b651c2b"): (
        "[ \\t]{0,3}(?:#{1,6}[ \\t]+(?P<marked>.*?)[ \\t",
        LINE,
    ),
    ("rules/layout.py", "567702ca207e"): (
        "[^\\n]*(?:\\n|\\Z)",
        END,
    ),
    ("rules/layout.py", "637d1977e2be"): (
        '"""(?:\\\\.|[^\\\\])*?"""|\'\'\'.*?\'\'\'|"(?:\\\\.|[^"\\',
        "code of an answer; a string that nothing closes is the last one of its kind",
    ),
    ("rules/rule.py", "5a161c41bd41"): (
        "^[ \\t]{0,3}(?P<fence>```|~~~)[^\\n]*\\n(?:.*?^",
        END,
    ),
    ("understanding/dialogue.py", "c2439f6f2c5f"): (
        "^\\s*(?:and\\s+|but\\s+|ok(?:ay)?,?\\s+|so\\s+)?(",
        QUESTION,
    ),
    ("understanding/dialogue.py", "096486c05af0"): (
        "^\\s*(?:what|who)\\s+(?:is|are|was|were)\\s+(?:",
        QUESTION,
    ),
    ("understanding/kinds.py", "7ee88c15e87f"): (
        "^\\W*what(?: is|'s| are| does| do| was| were)",
        QUESTION,
    ),
    ("verification/citations.py", "e1a0fab24c9d"): (
        "\\s*+(?:\\([^)]{0,200}\\)\\s*+)?or\\s",
        AT,
    ),
    ("verification/claims.py", "b1dee1f8d83a"): (
        "\\s*(?!(?:is|was|has|its|this|his|us|as|thus|",
        AT,
    ),
    ("verification/negation.py", "ada7fa518725"): (
        "\\s+(?:as|so)\\s+[a-z]+\\s+as\\b",
        AT,
    ),
    ("verification/negation.py", "78dd1f6961e1"): (
        "\\s+(?:all|every|each|always|everyone|everybo",
        AT,
    ),
    ("verification/subject.py", "81ee80075512"): (
        "(?<![\\w.])[^\\W_]\\w*+(?:[.-]++\\w++)*",
        "takes a run to its last letter; what stands behind that is met once, and no try begins there",
    ),
    ("web/mcp.py", "0ed28eb8c451"): (
        "[\\s>*_#\\d.)-]{0,12}(title|url|link|snippet|d",
        END,
    ),
    ("web/mcp.py", "9f24774aca5d"): (
        "[\\s>*_#\\d.)-]{0,12}\\[([^\\]\\n]{1,300})\\]\\((ht",
        END,
    ),
    ("writing/candidates.py", "83a4a967f6c7"): (
        "\\s*\\n[ \\t]*\\|(?=[ \\t|:]*+-)[ \\t|:-]*+(?:\\n|$",
        END,
    ),
    ("writing/candidates.py", "cd254caf87d4"): (
        "^[ \\t]*(```|~~~).*?(?:^[ \\t]*\\1[ \\t]*$|\\Z)",
        END,
    ),
}
# Functions that form a pattern of what they are handed, and of what.
FORMED: dict[tuple[str, str], str] = {
    ("cli/flags.py", "with_plain_range"): "the help of the program's own options",
    ("types/question.py", "as_typed"): "a corrected word, escaped and set between word boundaries",
    (
        "verification/subject.py",
        "_as_written",
    ): "words of a name, escaped; what parts them is tried behind a word alone",
    (
        "assessment/model.py",
        "_in_answer",
    ): "words of a model's reply, escaped; white space between them is tried behind a word alone",
    (
        "server/intake.py",
        "upload_path_remover",
    ): "the path of a tenant's folder, escaped; then names of bounded length",
    (
        "server/document_view/text_lines.py",
        "find",
    ): "words that a caller looks for, escaped; white space between them is read once, behind a word",
    ("judging/rewriting.py", "_replacements"): "names of a question, escaped and set between word boundaries",
    ("judging/rewriting.py", "_expansion_as_written"): "words of an acronym, escaped and set between boundaries",
    ("nlp/segments.py", "_without_shells"): "a name of a tag, of eight; matched at the beginning of a text alone",
    ("nlp/names.py", "_written"): "names of a list of the package, escaped",
    ("repair/correct.py", "_with_denial"): "one word, escaped",
    ("repair/wording.py", "_begins_with"): "words of one replacement, escaped",
    ("repair/wording.py", "_ends_with"): "words of one replacement, escaped",
    (
        "retrieval/quarantine.py",
        "__init__",
    ): "this module's own patterns, sieved by RE2; every repeat in them is bounded",
    ("rules/layout.py", "_compiled"): "phrases and keys of a rules file, escaped",
    ("rules/layout.py", "key_line"): "phrases and keys of a rules file, escaped",
    ("rules/rule.py", "exempt_spans"): "a title, escaped",
    (
        "verification/comparison.py",
        "_is_supposed",
    ): "one word, escaped, in a clause of a claim of at most 6,000 characters",
    (
        "verification/subject.py",
        "_names_it",
    ): "the parts of one code, escaped, with at most one character between two of them",
    ("verification/subject.py", "_written"): "one word, escaped",
    ("verification/names.py", "_is_common"): "one word, escaped",
    ("verification/names.py", "_is_name"): "one word, escaped",
}
