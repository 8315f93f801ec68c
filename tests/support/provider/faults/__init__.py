"""Every fault, by id; each file registers those of its kind."""

from support.provider.faults import body, connect, content, status, stream
from support.provider.faults.fault import FAULTS, Fault

__all__ = ["FAULTS", "Fault", "body", "connect", "content", "status", "stream"]
