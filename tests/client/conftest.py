"""Random tests of pure functions: no example has to be quick, on whatever machine."""

from __future__ import annotations

from hypothesis import HealthCheck, settings

settings.register_profile("client", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("client")
