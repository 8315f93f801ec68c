"""The story of a question and of a draft, and the protocols of its stages."""
