"""Reports of a run to those who operate assay: a log line for each answer, and spans of OpenTelemetry."""
