"""`assay serve`: the engine over HTTP, for programs, chat clients, agents and people."""
