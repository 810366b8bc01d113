"""Rows of the daemon's status about the machine: broker, store, devices, journal, software, signal and pins."""

import time
from collections.abc import Iterator, Mapping
from typing import Any, Final

from firmware_bridge.topics.texts import Language, known, text
from firmware_bridge.topics.texts.phrases import in_words, joined

Status = dict[str, Any]

ARROWS: Final = {"in": "<", "out": ">"}


def machine(status: Status, lang: Language = "en") -> tuple[tuple[str, str], ...]:
    """Return the name and text for broker, store, reader, keypads, journal and software."""
    build = status.get("build") or text(lang, "machine.unknown")
    return (
        ("broker", _broker(status, lang)),
        *((("store", far(store, lang)),) if (store := status["broker"].get("store")) else ()),
        ("reader", _reader(status, lang)),
        *((("keypads", words),) if (words := _keypads(status, lang)) else ()),
        ("journal", _journal(status, lang)),
        ("software", text(lang, "machine.software", version=status["version"], build=build)),
    )


def faulty(status: Status) -> frozenset[str]:
    """Return the rows of `machine` that are not in order."""
    broker, reader = status["broker"], status["reader"]
    found = {
        "broker": not broker["up"] or bool(_trouble(broker)),
        "reader": not reader["open"] or reader["lost"] or bool(_fault(reader)),
        "keypads": any(not pad["open"] or _fault(pad) for pad in status.get("keypads", ())),
        "journal": bool(status["disk"]),
    }
    return frozenset(name for name, is_faulty in found.items() if is_faulty)


def rows(status: Status, lang: Language = "en") -> Iterator[tuple[str, str]]:
    """Yield the name and text of signal, pins and health, as far as known."""
    if seen := status.get("seen"):
        yield "signal", _signal(seen, lang)
        pins = seen["pins"]
        if pins["inputs"]:
            yield "inputs", _pins(pins["inputs"], text(lang, "machine.active"))
        if pins["outputs"]:
            yield "outputs", _pins(pins["outputs"], text(lang, "machine.on"))
    if health := status.get("health"):
        from firmware_bridge.cli.watch.health import health_words  # imported here: it brings msgspec

        yield "health", health_words(health, lang)


def far(store: dict[str, Any], lang: Language = "en") -> str:
    """Return the progress of the store, as reported by the link."""
    stored, sent = store["stored"], store["sent"]
    has = text(lang, "machine.has_nothing")
    if stored:
        has = text(lang, "machine.has_entry", seq=stored[1], journal=stored[0])
    if not store["behind"]:
        has = text(lang, "machine.has_all")
    elif sent:
        has += text(lang, "machine.sent_to", seq=sent[1], journal=sent[0])
    if store["refused"]:
        has += text(lang, "machine.ignored", count=store["refused"], why=in_words(lang, str(store["why_refused"])))
    return text(lang, "machine.has", name=store["name"], has=has)


def coming_back(status: Status) -> dict[str, Any] | None:
    """Return the last borrower while the reader is on its way back; None if it is gone for good."""
    back: dict[str, Any] | None = status.get("returning")
    return back if back and (back["pid"] or status["reader"]["open"]) else None


def lease_words(status: Status, lang: Language = "en") -> tuple[str, str] | None:
    """Return text and remedy for a leased device or one coming back; None if nothing is leased."""
    if lease := status.get("lent"):
        since = time.strftime("%H:%M:%S", time.localtime(lease["since"] / 1000))
        return text(lang, "machine.leased", to=lease["to"], since=since), text(lang, "machine.take_back")
    if back := coming_back(status):
        remedy = f"sudo kill -9 {back['pid']}" if back["pid"] else text(lang, "machine.check_cable")
        return (
            text(lang, "machine.coming_back", to=back["to"]),
            text(lang, "machine.if_not_back", remedy=remedy),
        )
    return None


def rules(settings: dict[str, Any], lang: Language = "en") -> str:
    """Return the game, procedure if it has several, and decks."""
    terms = settings["terms"]
    procedure = (word(lang, "procedure", terms["procedure"]),) if "procedure" in terms else ()
    decks = text(lang, "machine.decks", count=settings["decks"])
    return text(lang, "between.parts").join((word(lang, "game", settings["game"]), *procedure, decks))


def word(lang: Language, kind: str, id: str) -> str:
    """Return a choice of the config, or a mode: its identifier in English, in Chinese its word."""
    return id if lang == "en" else known(lang, f"{kind}.{id}") or id


def frame_line(frame: dict[str, Any]) -> str:
    """Return time, direction and hex of a frame."""
    at = time.strftime("%H:%M:%S", time.localtime(frame["at"] / 1000))
    return f"{at}.{frame['at'] % 1000:03} {ARROWS[frame['way']]} {frame['hex']}"


def _broker(status: Status, lang: Language) -> str:
    broker, waiting = status["broker"], _waiting(status, lang)
    if broker["up"] and (trouble := _trouble(broker)):
        return text(lang, "machine.shared", shared=failure(lang, trouble), waiting=waiting)
    if broker["up"]:
        return text(lang, "machine.connected", protocol=broker["protocol"], waiting=waiting)
    return text(lang, "machine.not_connected", why=failure(lang, broker["why_down"]), waiting=waiting)


def failure(lang: Language, why: Any) -> str:
    """Return a failure as it is in the status in words."""
    from firmware_bridge.topics.texts import refusals  # imported here: without a daemon nothing is shown

    return refusals.failure(lang, why)


def _trouble(broker: Mapping[str, Any]) -> Any:
    """Return what is wrong with a broker that is there: a second client, why no connection lasts, what it refuses."""
    return broker.get("shared") or broker.get("why_down") or broker.get("fault")


def _waiting(status: Status, lang: Language) -> str:
    """Return the entries not yet acknowledged by the broker."""
    acked, seq = status["broker"]["acked"], status["seq"]
    if not status["broker"]["waiting"]:
        return text(lang, "machine.nothing_waits")
    if acked and acked[0] == status["journal"]:
        count = seq - acked[1]
        return text(lang, "machine.entry_waits" if count == 1 else "machine.entries_wait", count=count)
    return (
        text(lang, "machine.rest_waits", seq=acked[1], journal=acked[0]) if acked else text(lang, "machine.all_waits")
    )


def _reader(status: Status, lang: Language) -> str:
    reader, lease = status["reader"], status.get("lent")
    shown = ""
    if lease:
        device = known(lang, f"device.{lease['device']}") or lease["device"]
        shown = text(lang, "machine.lease", device=device, to=lease["to"])
    return text(
        lang,
        "machine.reader",
        protocol=reader["protocol"],
        port=reader["port"],
        state=_heard(reader, lang),
        lease=shown,
    )


def _fault(device: dict[str, Any]) -> str:
    """Return the fault in what was heard of a reader or keypad; "" for none, as of an older daemon."""
    return str(device["heard"]["fault"]) if "heard" in device else ""


def _heard(device: dict[str, Any], lang: Language) -> str:
    """Return whether a reader or keypad is open, and is understood."""
    heard = device.get("heard") or {"state": "understood"}
    if device.get("lost") and (losses := device.get("losses", 0)) > 1:
        return text(lang, "machine.reader_lost_again", count=losses)
    if not device["open"]:
        return text(lang, "machine.reader_closed")
    if fault := _fault(device):
        return text(lang, f"machine.reader_{fault}")
    if device.get("lost"):
        return text(lang, "machine.reader_silent")
    match heard["state"]:
        case "silent":
            return text(lang, "machine.reader_silent_since", at=_moment(heard["at"] / 1000))
        case "not_heard" | "not_understood" as state:
            return text(lang, f"machine.reader_{state}")
    return text(lang, "machine.reader_open")


def _moment(at_s: float) -> str:
    """Return the local time of a wall time (seconds since 1970), with its date where that is another day."""
    then, today = time.localtime(at_s), time.localtime()
    form = "%H:%M:%S" if then[:3] == today[:3] else "%Y-%m-%d %H:%M:%S"
    return time.strftime(form, then)


def _keypads(status: Status, lang: Language) -> str:
    pads = status.get("keypads", ())
    return joined(lang, *(text(lang, "machine.keypad", where=pad["where"], state=_heard(pad, lang)) for pad in pads))


def _journal(status: Status, lang: Language) -> str:
    place = text(lang, "machine.none")
    if status["journal"]:
        place = text(lang, "machine.entry", journal=status["journal"], seq=status["seq"])
    if not status["disk"]:
        return place
    return text(lang, "machine.stopped", place=place, why=failure(lang, status["disk"]))


def _signal(seen: dict[str, Any], lang: Language) -> str:
    signal, parts = seen["signal"], []
    if signal.get("quality") is not None:
        parts.append(
            text(
                lang,
                "machine.quality",
                quality=signal["quality"],
                agreed=signal["agreed"],
                taken=signal["taken"],
                ms=signal["transit_ms"],
            )
        )
    if "lamp" in signal:
        light = {name: signal[name] for name in ("lamp", "ambient", "temperature")}
        parts.append(text(lang, "machine.light", **light))
    if "unread" in signal:
        why = known(lang, f"given.{signal['unread']}") if lang != "en" else None
        parts.append(text(lang, "machine.unread", why=why or in_words(lang, str(signal["unread"]))))
    return joined(lang, *parts, text(lang, "machine.frames", good=seen["good"], bad=seen["bad"]))


def _pins(pins: dict[str, bool | None], active: str) -> str:
    """Return the pins of one direction: active ones stand out; `?` for a leased or lost pin."""
    words = {True: f" {active}", False: "", None: " ?"}
    return "  ".join(f"{name}{words[is_active]}" for name, is_active in pins.items())
