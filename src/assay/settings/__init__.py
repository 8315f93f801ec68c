"""The settings: what there is to set, and where each value came from."""

from assay.settings.places import (
    Resolved,
    load_settings,
    received_settings,
    sent_settings,
    with_changes,
    with_options,
)
from assay.settings.values import MODEL_SETTINGS, ROLES, Settings

__all__ = [
    "MODEL_SETTINGS",
    "ROLES",
    "Resolved",
    "Settings",
    "load_settings",
    "received_settings",
    "sent_settings",
    "with_changes",
    "with_options",
]
