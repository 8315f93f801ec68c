"""Metrics: definitions with their sources, one subject a file."""

from assay.evals.metrics.bootstrap import Interval, Rows, paired_bootstrap
from assay.evals.metrics.calibration import BINS, brier, debiased_ece, reliability
from assay.evals.metrics.metric import Metric
from assay.evals.metrics.retrieval import ndcg, recall
from assay.evals.metrics.sufficiency import SelectivePoint, auroc, selective_accuracy

__all__ = [
    "BINS",
    "Interval",
    "Metric",
    "Rows",
    "SelectivePoint",
    "auroc",
    "brier",
    "debiased_ece",
    "ndcg",
    "paired_bootstrap",
    "recall",
    "reliability",
    "selective_accuracy",
]
