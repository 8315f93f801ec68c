"""Applying a fitted calibration: from a score to a probability, and whether the fit still holds. Pure."""

from assay.calibration.curves import Isotonic, Logistic, sigmoid

__all__ = ["Isotonic", "Logistic", "sigmoid"]
