"""Applying a fitted calibration: from a score to a probability, and whether the fit still holds. Pure."""

from assay.calibration.curves import Isotonic, Logistic, log_odds, sigmoid
from assay.calibration.joining import Joining

__all__ = ["Isotonic", "Joining", "Logistic", "log_odds", "sigmoid"]
