"""Testing a draft: citations, quotes, facts, support, confidence."""
