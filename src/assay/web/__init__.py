"""Actions where the evidence does not suffice: asking the search again, and asking outside."""
