"""One run as a page that opens offline: what an auditor keeps."""
