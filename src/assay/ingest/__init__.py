"""Taking documents in: bytes to text, text to passages, passages to the index."""
