"""How the page looks, on a screen and on paper."""

STYLE = """
:root { color-scheme: light dark; --line: #8884; --quiet: #777; }
body { font: 16px/1.55 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.35rem; } h2 { font-size: 1.1rem; margin-top: 2rem; border-bottom: 1px solid var(--line); }
h3 { font-size: 1rem; margin-bottom: .3rem; }
table { border-collapse: collapse; width: 100%; font-size: .9rem; }
th, td { text-align: left; vertical-align: top; padding: .3rem .6rem .3rem 0; }
th, td { border-bottom: 1px solid var(--line); }
th { color: var(--quiet); font-weight: 600; }
.answer { white-space: pre-wrap; font-size: 1.05rem; padding: .8rem 1rem; border: 1px solid var(--line); }
.quote { white-space: pre-wrap; padding: .6rem .8rem; border-left: 3px solid var(--line); font-size: .95rem; }
.quiet { color: var(--quiet); font-size: .9rem; } .id { font-family: ui-monospace, monospace; font-size: .8rem; }
mark { color: inherit; background: none; border-bottom: .18em solid; }
mark a { color: inherit; text-decoration: none; }
.supported, .passed { border-color: #2a8a3e; } .unknown { border-color: #c08a00; }
.unsupported, .contradicted, .failed { border-color: #c62f2f; }
.verdict { font-weight: 600; } .verdict.passed { color: #2a8a3e; } .verdict.failed { color: #c62f2f; }
.verdict.unknown { color: #a87800; } .verdict.skipped { color: var(--quiet); }
del { background: #c62f2f22; } ins { background: #2a8a3e22; text-decoration: none; }
@media print { body { margin: 0; max-width: none; } }
"""
