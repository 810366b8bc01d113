"""What the cards of a simulated shoe carry for its reader."""

from typing import Literal

Papers = Literal["lots", "names", "labels", "tags"]
"""A number of face and pack lot; the card's name; a label that only a code book knows; a tag of the card's own."""
