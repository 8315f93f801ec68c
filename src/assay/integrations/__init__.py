"""Pieces for other frameworks over an engine: langchain, llama_index, haystack.

Nothing imports them but you. Each needs its framework; without it the import raises MissingExtra, which names the
command that installs it.
"""
