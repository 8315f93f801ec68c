"""Applying a fitted calibration: from a score to a probability, and whether the fit still holds. Pure."""

from assay.calibration.curves import ClaimPolicy, Isotonic, Logistic, log_odds, sigmoid

__all__ = ["ClaimPolicy", "Isotonic", "Logistic", "log_odds", "sigmoid"]
