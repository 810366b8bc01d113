"""Texts."""

from __future__ import annotations

from typing import Final

ZH_HANS: Final = {"page.title": "赌台", "page.full": "已有 {most} 个浏览器打开本页：请先关闭一个"}
