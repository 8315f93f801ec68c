"""Local servers that take the place of services in tests and benchmarks: models' and the web's, with faults."""
