"""Texts."""

from __future__ import annotations

from typing import Final

EN: Final = {"page.title": "Tables", "page.full": "{most} browsers look at this page already: close one of them"}
