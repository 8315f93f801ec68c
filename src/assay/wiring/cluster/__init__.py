"""Work that is spread over the machines of a Ray cluster. Its modules need the extra `ray`, except `rows`."""
