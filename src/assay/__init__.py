"""assay answers questions from your documents and tests every answer before you see it."""
