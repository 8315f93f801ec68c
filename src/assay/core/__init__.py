"""The story of a question and of a draft, and the protocols of the stages that it is told in."""
