"""One file a metric; each is a pure function over numbers."""
