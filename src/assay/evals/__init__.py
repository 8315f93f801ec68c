"""Measuring: data sets, metrics, runs."""
