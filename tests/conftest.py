"""What holds for every test: a busy machine may stall for a second or two at any moment, which fails nothing."""

from __future__ import annotations

from hypothesis import HealthCheck, settings

# A property is tested for whether it holds, not for how fast an example of it is drawn or tried.
settings.register_profile("unhurried", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("unhurried")
