"""Documents as the page shows them: opened at a span, which is marked where it stands."""
