"""A web on this machine: search services that misbehave on command, and a site with awkward pages.

Tests name its `address` in the rules, as a user names a host of an intranet; nothing else is reachable.
"""

from __future__ import annotations

from support.web.pages import AWKWARD, Served, page
from support.web.server import FAULTS, LocalWeb

__all__ = ["AWKWARD", "FAULTS", "LocalWeb", "Served", "page"]
