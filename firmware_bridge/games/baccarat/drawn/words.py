"""The names of the roads on screens, in three languages."""

from typing import Final, Literal, NamedTuple

from firmware_bridge.facts.languages import Language
from firmware_bridge.games.baccarat.roads import GOOD_ROADS, GoodId

Kind = Literal["bead", "big", "big-eye", "small", "cockroach", "ask", "good"]


class Words(NamedTuple):
    """The words of one language; `sides` and `letters` by outcome. `table`, `shoe`, `earlier`, `later` take a value."""

    roads: dict[Kind, str]
    title: str
    sides: dict[str, str]
    letters: dict[str, str]
    pairs: dict[str, str]
    rounds: str
    next: dict[str, str]
    none: str
    regular: str
    irregular: str
    table: str
    shoe: str
    last: str
    natural: str
    naturals: str
    limits: str
    derived: str
    ties: str
    newest: str
    good: str
    earlier: str
    later: str


def _kinds(*names: str) -> dict[Kind, str]:
    kinds: tuple[Kind, ...] = ("bead", "big", "big-eye", "small", "cockroach", "ask", "good")
    return dict(zip(kinds, names, strict=True))


def _outcomes(banker: str, player: str, tie: str) -> dict[str, str]:
    return {"B": banker, "P": player, "T": tie}


WORDS: Final[dict[Language, Words]] = {
    "zh-Hant": Words(
        _kinds("珠盤路", "大路", "大眼路", "小路", "曱甴路", "問路", "好路"),
        "百家樂牌路",
        _outcomes("莊", "閒", "和"),
        _outcomes("莊", "閒", "和"),
        {"B": "莊對", "P": "閒對"},
        "局數",
        {"banker": "下局開莊", "player": "下局開閒"},
        "暫無",
        "齊整",
        "不齊整",
        *("{} 號枱", "第 {} 靴", "上局", "例牌", "例牌", "限紅"),
        *("下三路", "兩局和", "最新", "好路出現", "前 {} 個", "後 {} 個"),
    ),
    "zh-Hans": Words(
        _kinds("珠盘路", "大路", "大眼路", "小路", "小强路", "问路", "好路"),
        "百家乐牌路",
        _outcomes("庄", "闲", "和"),
        _outcomes("庄", "闲", "和"),
        {"B": "庄对", "P": "闲对"},
        "局数",
        {"banker": "下局开庄", "player": "下局开闲"},
        "暂无",
        "齐整",
        "不齐整",
        *("{} 号桌", "第 {} 靴", "上局", "例牌", "例牌", "限红"),
        *("下三路", "两局和", "最新", "好路出现", "前 {} 个", "后 {} 个"),
    ),
    "en": Words(
        _kinds("Bead plate", "Big road", "Big eye boy", "Small road", "Cockroach road", "Ask road", "Good roads"),
        "Baccarat roads",
        _outcomes("Banker", "Player", "Tie"),
        _outcomes("B", "P", "T"),
        {"B": "Banker pairs", "P": "Player pairs"},
        "Rounds",
        {"banker": "If banker is next", "player": "If player is next"},
        "none",
        "regular",
        "irregular",
        *("Table {}", "Shoe {}", "Last round", "Natural", "Naturals", "Limits"),
        *("Derived roads", "2 ties", "newest", "good road now", "{} earlier", "{} more"),
    ),
}
"""Labels as casinos write them, in traditional and in simplified Chinese, and in English."""


def words_in(language: Language) -> Words:
    """Return the labels in a language; in English where it has none."""
    return WORDS.get(language, WORDS["en"])


def good_name(name: GoodId, language: Language) -> str:
    """Return a good road's name."""
    road = GOOD_ROADS[name]
    return {"zh-Hant": road.zh_hant, "zh-Hans": road.zh_hans}.get(language, road.en)
