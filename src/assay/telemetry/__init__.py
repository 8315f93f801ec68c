"""What a run tells those who operate assay: a log line for each answer, and spans of OpenTelemetry."""
