"""Work that is spread over the machines of a Ray cluster. Needs the extra `ray`, but for `rows` and `workers`."""
