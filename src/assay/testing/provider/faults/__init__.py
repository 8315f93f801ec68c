"""Every fault, by id; each file registers those of its kind."""

from assay.testing.provider.faults import body, connect, content, status, stream
from assay.testing.provider.faults.fault import FAULTS, Fault

__all__ = ["FAULTS", "Fault", "body", "connect", "content", "status", "stream"]
