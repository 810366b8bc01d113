"""The words of guest screens in three languages, by ids.

`is.GAME.WORD` translates WORD in a message of that game; a word that is not here is not shown.
"""

from typing import Final, Literal, get_args

Language = Literal["en", "zh-Hant", "zh-Hans"]

LANGUAGES: Final[tuple[Language, ...]] = get_args(Language)

_ROWS: Final[tuple[tuple[str, str, str, str], ...]] = (
    ("baccarat", "Baccarat", "百家樂", "百家乐"),
    ("blackjack", "Blackjack", "二十一點", "二十一点"),
    ("niuniu", "Niu-niu", "搶莊牛牛", "抢庄牛牛"),
    ("zhajinhua", "Zha jin hua", "炸金花", "炸金花"),
    ("erbagang", "Er ba gang", "二八杠", "二八杠"),
    ("table", "Table {}", "{} 號枱", "{} 号桌"),
    ("round", "Round {}", "第 {} 局", "第 {} 局"),
    ("open", "Place your bets", "請下注", "请下注"),
    ("closed", "No more bets", "停止下注", "停止下注"),
    ("wait", "Please wait", "請稍候", "请稍候"),
    ("now", "This round", "本局", "本局"),
    ("over", "Last result", "上局結果", "上局结果"),
    ("before", "Earlier results", "之前結果", "此前结果"),
    ("none", "No result yet", "暫無結果", "暂无结果"),
    ("limits", "Limits", "限紅", "限红"),
    ("pot", "Pot", "底池", "底池"),
    ("stake", "Stake", "單注", "单注"),
    ("in", "Still in", "在局", "在局"),
    ("void", "Round void", "此局作廢", "此局作废"),
    ("natural", "Natural", "例牌", "例牌"),
    ("down", "face down", "蓋牌", "盖牌"),
    ("player", "Player", "閒", "闲"),
    ("banker", "Banker", "莊", "庄"),
    ("tie", "Tie", "和", "和"),
    ("dealer", "Dealer", "莊家", "庄家"),
    ("seat", "Seat {}", "{} 號位", "{} 号位"),
    ("hand", "Seat {}, hand {}", "{} 號位第 {} 手", "{} 号位第 {} 手"),
    ("bank", "Bank", "莊家", "庄家"),
    ("win", "Wins", "贏", "赢"),
    ("lose", "Loses", "輸", "输"),
    ("push", "Push", "和局", "和局"),
    ("wins.player", "Player wins", "閒贏", "闲赢"),
    ("wins.banker", "Banker wins", "莊贏", "庄赢"),
    ("wins.tie", "Tie", "和局", "和局"),
    ("wins.seat", "Seat {} wins", "{} 號位勝出", "{} 号位胜出"),
    ("wins.bank", "The bank wins", "莊家贏", "庄家赢"),
    ("wins.players", "The players win", "閒家贏", "闲家赢"),
    ("wins.even", "Even", "持平", "持平"),
    ("limit.table", "Table", "枱面", "台面"),
    ("limit.banker", "Banker", "莊", "庄"),
    ("limit.player", "Player", "閒", "闲"),
    ("limit.tie", "Tie", "和", "和"),
    ("limit.banker_pair", "Banker pair", "莊對", "庄对"),
    ("limit.player_pair", "Player pair", "閒對", "闲对"),
    ("limit.differential", "Differential", "差額", "差额"),
    ("limit.bet", "Bet", "每注", "每注"),
    ("limit.ante", "Ante", "底注", "底注"),
    ("limit.top", "Highest stake", "頂注", "顶注"),
    ("limit.base", "Base", "底分", "底分"),
    ("most", "up to {}", "最高 {}", "最高 {}"),
    ("tile", "●", "筒", "筒"),
    ("white", "White", "白", "白"),
    *((f"is.blackjack.dealer_{n}", f"Dealer {n}", f"莊家 {n} 點", f"庄家 {n} 点") for n in range(17, 22)),
    ("is.blackjack.dealer_bust", "Dealer busts", "莊家爆牌", "庄家爆牌"),
    ("is.blackjack.dealer_blackjack", "Dealer blackjack", "莊家黑傑克", "庄家黑杰克"),
    ("is.blackjack.dealer_no_draw", "Dealer draws none", "莊家不補牌", "庄家不补牌"),
    ("is.blackjack.blackjack", "Blackjack", "黑傑克", "黑杰克"),
    ("is.blackjack.bust", "Bust", "爆牌", "爆牌"),
    ("is.niuniu.no_bull", "No bull", "沒牛", "没牛"),
    *((f"is.niuniu.bull_{n}", f"Bull {n}", f"牛{sign}", f"牛{sign}") for n, sign in enumerate("一二三四五六七八九", 1)),
    ("is.niuniu.bull_bull", "Bull-bull", "牛牛", "牛牛"),
    ("is.niuniu.four_face", "Four faces", "四花牛", "四花牛"),
    ("is.niuniu.five_face", "Five faces", "五花牛", "五花牛"),
    ("is.niuniu.bomb", "Bomb", "炸彈", "炸弹"),
    ("is.niuniu.five_small", "Five small", "五小牛", "五小牛"),
    ("is.erbagang.white_pair", "Whites", "天王", "天王"),
    ("is.erbagang.pair", "Pair", "寶牌", "宝牌"),
    ("is.erbagang.28", "2-8", "二八杠", "二八杠"),
    ("is.zhajinhua.leopard", "Three alike", "豹子", "豹子"),
    ("is.zhajinhua.straight_flush", "Straight flush", "同花順", "同花顺"),
    ("is.zhajinhua.flush", "Flush", "金花", "金花"),
    ("is.zhajinhua.straight", "Straight", "順子", "顺子"),
    ("is.zhajinhua.pair", "Pair", "對子", "对子"),
    ("is.zhajinhua.high_card", "High card", "散牌", "散牌"),
    ("is.zhajinhua.special_235", "2-3-5", "特殊 235", "特殊 235"),
)
"""Id, English, traditional Chinese, simplified Chinese."""

WORDS: Final[dict[Language, dict[str, str]]] = {
    language: {row[0]: row[place] for row in _ROWS} for place, language in enumerate(LANGUAGES, 1)
}
