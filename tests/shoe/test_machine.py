"""Random play at a table: what must hold after every step, whatever people and devices do."""

from __future__ import annotations

from collections import Counter

from hypothesis import HealthCheck, settings
from hypothesis.stateful import invariant

from firmware_bridge.facts import events
from firmware_bridge.facts.cards import FACES
from firmware_bridge.journal.messages import messages
from firmware_bridge.shoe import Phase, phase
from firmware_bridge.shoe.handlers.disclosure import waits_for_reveal
from firmware_bridge.shoe.round import due
from firmware_bridge.shoe.state import blockers, held_cards, waiting_cut
from firmware_bridge.topics.lamps import lamps
from firmware_bridge.topics.state import snapshots
from tests.kit.nightly import share
from tests.shoe import oracles
from tests.shoe.devices_at_a_table import Devices


class AtTheTable(Devices):
    """A table in one of all houses; the machine counts cards by itself."""

    def teardown(self) -> None:
        """The whole journal once more, from its bytes."""
        if not hasattr(self, "table"):
            return
        lines, shoe = self.table.lines, self.table.shoe
        assert oracles.replayed(lines) == shoe
        assert oracles.cards_keep_their_order(lines) == oracles.waiting(shoe)
        oracles.identities_are_unique(lines)
        oracles.rounds_are_the_rule_books(lines)
        oracles.last_means_last(lines)
        oracles.bets_come_first(lines)
        oracles.corrections_follow_one_another(lines)
        oracles.what_is_opened_was_committed_to(lines)
        if self.table.house.disclose == "sealed":
            oracles.cards_open_by_the_ceremony(lines)

    @invariant()
    def the_packs_hold_what_was_seen(self) -> None:
        """But for copies that were kept, and faces given in a correction: a refusal would name the sealed copy."""
        happened = self.table.events
        kept = [
            each
            for each in happened
            if isinstance(each, events.IrregularityClosed) and (each.id, each.choice) == ("duplicate", "keep")
        ]
        given = [
            card
            for each in happened
            if isinstance(each, events.RoundCorrected)
            for card in each.cards
            if card.origin == "manual"
        ]
        over = Counter(self.table.shoe.seen) - Counter(FACES)
        assert over.total() <= len(kept) + len(given)

    @invariant()
    def one_slot_is_due(self) -> None:
        shoe = self.table.shoe
        lit = lamps(shoe).lit
        steady = [lamp for lamp, rhythm in lit.items() if rhythm == "steady" and lamp not in ("ready", "fault")]
        now = phase(shoe)
        guided = now in (Phase.READY, Phase.DEALING) and not blockers(shoe)
        is_due = guided and not waits_for_reveal(shoe)
        assert steady == ([due(shoe)] if is_due else [])
        assert ("fault" in lit) == bool(shoe.device.irregular)
        if blockers(shoe):
            assert set(lit) == {"fault"}

    @invariant()
    def held_cards_wait_for_a_reason(self) -> None:
        shoe = self.table.shoe
        if shoe.held and not blockers(shoe):
            assert phase(shoe) in (Phase.BETTING, Phase.COMPLETE) or waits_for_reveal(shoe)
        assert shoe.status == "open" or not (shoe.held or shoe.laid or shoe.overdrawn or shoe.aside)

    @invariant()
    def an_early_cut_card_waits_for_the_pit(self) -> None:
        shoe = self.table.shoe
        if "cut_card_early" in self.table.open:
            assert shoe.status == "open"
            assert waiting_cut(shoe)
            assert shoe.last_round is None
            assert "cut_card_early" in blockers(shoe)

    @invariant()
    def nothing_sealed_is_shown(self) -> None:
        """The nonce of a sealed card stands for it: it is in nothing that leaves, before its time."""
        shoe = self.table.shoe
        sealed = [each.nonce for each in (*shoe.laid, *shoe.overdrawn, *shoe.aside) if not each.shown and each.nonce]
        sealed += [each.nonce for each in held_cards(shoe) if each.nonce]
        news = b"".join(m.payload for line in self.table.lines[-2:] for m in messages(line)).decode()
        assert not [nonce for nonce in sealed if nonce in news]
        for slot, laid in zip(snapshots(shoe)["table"].slots, shoe.laid, strict=True):
            assert (slot.card == laid.card.value) is laid.shown

    @invariant()
    def at_most_one_of_a_name_is_open(self) -> None:
        assert len(set(self.table.open)) == len(self.table.open)


TestAtTheTable = AtTheTable.TestCase
TestAtTheTable.settings = settings(
    max_examples=share(200, 40),
    stateful_step_count=60,
    suppress_health_check=list(HealthCheck),
)
