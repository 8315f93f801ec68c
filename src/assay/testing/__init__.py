"""Fakes for those who write a plug-in or a test: each raises on what it was not set to expect."""
