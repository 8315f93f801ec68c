"""An evaluation for people: its summary, as Markdown, and as a page with plots."""
