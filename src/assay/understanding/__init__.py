"""Working out what is asked."""
