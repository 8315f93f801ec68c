"""Making questions with known answers from the documents of a collection."""
