"""QR codes of keys and notes: their size, and what a page may hold."""

from xml.etree import ElementTree

from firmware_bridge.client.testing import SEED
from firmware_bridge.record import qr
from firmware_bridge.record.signer import checkpoint_text, signed_note, signer

ORIGIN = "shoe.invalid/10000000a1b2c3d4/5c1e8a02"
NOTE = signed_note(checkpoint_text(ORIGIN, 51_234, bytes(32)), [signer(ORIGIN, SEED)])


def test_a_note_of_a_table_is_61_modules_wide_with_its_border() -> None:
    drawn = ElementTree.fromstring(qr.svg(NOTE))
    assert drawn.attrib == {"viewBox": "0 0 61 61"}
    ground, code = drawn
    assert (ground.get("fill"), code.get("stroke")) == ("#fff", "#000")
    assert all(not each.startswith(("style", "class", "on")) for part in drawn for each in part.attrib)


def test_other_notes_have_other_codes() -> None:
    other = signed_note(checkpoint_text(ORIGIN, 51_235, bytes(32)), [signer(ORIGIN, SEED)])
    assert qr.svg(other) != qr.svg(NOTE) == qr.svg(NOTE)


def test_a_terminal_shows_two_rows_of_modules_in_a_line() -> None:
    lines = qr.in_terminal(NOTE).splitlines()
    assert {len(each) for each in lines} == {61}
    assert len(lines) == 31
