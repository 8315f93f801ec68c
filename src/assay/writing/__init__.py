"""Writing an answer from evidence, or a refusal."""
