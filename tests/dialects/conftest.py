"""Drawn tests of the codecs run without a time limit for each example: a busy machine is no fault of a codec."""

from __future__ import annotations

from hypothesis import HealthCheck, settings

settings.register_profile("codecs", deadline=None, database=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("codecs")
