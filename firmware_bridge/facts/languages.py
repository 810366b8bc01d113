"""The languages of the product, by their tags of BCP 47."""

from typing import Literal

Whole = Literal["en", "zh-Hant", "zh-Hans"]
"""Languages that have every text: those of people who work at a table."""

Language = Literal[Whole]
"""Languages of guests' screens: also such as have some texts alone, `Literal[Whole, "pt"]`; the others are English."""
