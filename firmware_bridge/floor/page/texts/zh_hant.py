"""Texts."""

from __future__ import annotations

from typing import Final

ZH_HANT: Final = {"page.title": "賭枱", "page.full": "已有 {most} 個瀏覽器開着本頁：請先關閉一個"}
