"""Understanding of questions."""
