"""What the bets of baccarat pay on which hands, tier by tier, written by hand."""

from __future__ import annotations

from firmware_bridge.facts.cards import Card, cards

Hands = dict[str, tuple[Card, ...]]

# bet: what it pays, player's cards, banker's cards
PAYS = """
player                      1     9sKh    2d3c
player                      0     8sKh    8dKc
player                      -1    2d3c    9sKh
banker                      0.95  2d3c    9sKh
banker                      0.95  2s2hKs  4d2c
banker                      0     7sKh    7dKc
banker                      -1    9sKh    2d3c
banker_no_commission        0.5   2s2hKs  4d2c
banker_no_commission        0.5   2s2h7s  2d3cAs
banker_no_commission        1     6sKh    7dKc
banker_no_commission        0     6sKs    6dKd
banker_no_commission        -1    9sKh    2d3c
tie                         8     KsAhTc  KdAcTd
tie                         -1    9sKh    8dKc
player_pair                 11    9s9h    2d5c
player_pair                 -1    TsKh    8dKc
player_pair                 -1    2d5c    9s9h
player_pair                 -1    2s3h3c  4dKc2h
banker_pair                 11    2d5c    9s9h
banker_pair                 -1    8dKc    TsKh
banker_pair                 -1    9s9h    2d5c
either_pair                 5     9s9h    2d5c
either_pair                 5     2d5c    9s9h
either_pair                 5     4s4h    TdTc
either_pair                 -1    TsKh    8dKc
either_pair                 -1    9sKh    9dKd
perfect_pair                25    9s9s    2d5c
perfect_pair                25    2d5c    9s9s
perfect_pair                25    4s4s    TdTd
perfect_pair                -1    9s9h    2d5c
perfect_pair                -1    9s8s    2d5c
player_dragon_bonus         1     9sKh    KdQc
player_dragon_bonus         1     9sKh    8dKc
player_dragon_bonus         30    2s3h4c  KdAc9d
player_dragon_bonus         10    2s3h4c  KdAcTd
player_dragon_bonus         5     2s3h4c  KdAcAd
player_dragon_bonus         3     2s3h4c  KdAc2d
player_dragon_bonus         2     2s3h4c  KdAc3d
player_dragon_bonus         1     2s3h4c  KdAc4d
player_dragon_bonus         -1    2s3h4c  KdAc5d
player_dragon_bonus         2     7sKh    KdAcAd
player_dragon_bonus         0     8sKh    8dKc
player_dragon_bonus         -1    7sKh    7dKc
player_dragon_bonus         -1    8sKh    9dKc
banker_dragon_bonus         1     KdQc    9sKh
banker_dragon_bonus         1     8dKc    9sKh
banker_dragon_bonus         30    KsAh9c  2dKd7c
banker_dragon_bonus         10    KsAhTc  2dKd7c
banker_dragon_bonus         5     KsAhAc  2dKd7c
banker_dragon_bonus         3     KsAh2c  2dKd7c
banker_dragon_bonus         2     KsAh3c  2dKd7c
banker_dragon_bonus         1     KsAh4c  2dKd7c
banker_dragon_bonus         -1    KsAh5c  2dKd7c
banker_dragon_bonus         0     8sKh    8dKc
banker_dragon_bonus         -1    7sKh    7dKc
banker_dragon_bonus         -1    9dKc    8sKh
lucky_6                     12    2s2hKs  4d2c
lucky_6                     18    2s2h7s  2d3cAs
lucky_6                     -1    6sKs    6dKd
lucky_6                     -1    6sKh    7dKc
player_natural              4     9sKh    8dKc
player_natural              4     8sKh    7dKc
player_natural              0     9sKh    9dKc
player_natural              -1    8sKh    9dKc
player_natural              -1    2s3h3c  4dKc2h
player_natural              -1    7sKh    7dKc
banker_natural              4     8dKc    9sKh
banker_natural              4     7dKc    8sKh
banker_natural              0     8sKh    8dKc
banker_natural              -1    9dKc    8sKh
banker_natural              -1    KsAh4c  2dKd7c
tiger                       12    2s2hKs  4d2c
tiger                       18    2s2h7s  2d3cAs
tiger                       -1    6sKs    6dKd
big_tiger                   50    2s2h7s  2d3cAs
big_tiger                   -1    2s2hKs  4d2c
small_tiger                 22    2s2hKs  4d2c
small_tiger                 -1    2s2h7s  2d3cAs
tiger_tie                   40    6sKs    6dKd
tiger_tie                   40    3d8s5d  4c7h5s
tiger_tie                   -1    7sKh    7dKc
tiger_tie                   -1    2s2hKs  4d2c
tiger_pair                  100   4d4d    4d4d
tiger_pair                  20    4d4d    4h4h
tiger_pair                  20    4s4h    4d4c
tiger_pair                  20    4s4h    4s4h
tiger_pair                  20    4s4h    TdTc
tiger_pair                  4     9s9h    2d5c
tiger_pair                  4     2d5c    9s9s
tiger_pair                  -1    9sKh    9dKd
banker_four_blessings       20    2sAhKc  4dKd
banker_four_blessings       -1    2s2hKc  4dKd
banker_four_blessings       -1    6sKh    4dKdKc
player_four_blessings       35    2s2hKc  KdAc2d
player_four_blessings       -1    2s2hKc  4dKd
banker_four_blessings_pair  30    9sKh    4d4d
banker_four_blessings_pair  15    9sKh    4d4h
banker_four_blessings_pair  15    9sKh    4s4s
banker_four_blessings_pair  12    9sKh    5d5d
banker_four_blessings_pair  9     9sKh    5d5h
banker_four_blessings_pair  9     9sKh    5c5c
banker_four_blessings_pair  -1    9sKh    4d3d
banker_four_blessings_pair  -1    4d4d    9sKh
player_four_blessings_pair  30    4d4d    9sKh
player_four_blessings_pair  15    4c4d    9sKh
player_four_blessings_pair  15    4h4h    9sKh
player_four_blessings_pair  12    KdKd    9sKh
player_four_blessings_pair  9     KdKc    9sKh
player_four_blessings_pair  9     KsKs    9sKh
player_four_blessings_pair  -1    KdQd    9sKh
banker_black                2     9hKh    2s5c
banker_black                -1    9sKs    2s5h
banker_black                -1    9sKs    2d5h
player_black                2     9sKc    2d5h
player_black                -1    9sKd    2s5s
player_black                2     2s3c4h  KdAc9d
banker_red                  2     9sKs    2d5h
banker_red                  -1    9hKh    2d5s
banker_red                  -1    9hKh    2s5s
player_red                  2     9hKd    2s5c
player_red                  -1    9sKd    2d5d
player_red                  2     2h3d4s  KdAc9d
invincible_6                4     6sKh    2d3cKc
invincible_6                4     2s2hKs  4d2c
invincible_6                4     6sKs    6dKd
invincible_6                -1    6sKh    7dKc
banker_char_siu             10    6sKh    7dKc
banker_char_siu             10    8sKh    9dKc
banker_char_siu             15    6sKh    2dAc4h
banker_char_siu             50    2s3hAc  2dAc4h
banker_char_siu             -1    2s3hKc  6dKc
banker_char_siu             -1    2s3hKc  7dKc
banker_char_siu             -1    7dKc    6sKh
player_char_siu             10    7sKh    6dKc
player_char_siu             15    2s3h2c  6dKc
player_char_siu             50    2s3h2c  4dKc2h
player_char_siu             -1    2s3h3c  4dKc2h
player_char_siu             -1    2s3hAc  5dKd
player_char_siu             -1    6sKh    7dKc
small_cow                   20    6sKh    2d3cKc
small_cow                   -1    2s3hAc  5dKd
small_cow                   -1    6sKs    6dKd
big_cow                     35    2s3hAc  5dKd
big_cow                     -1    6sKh    2d3cKc
tiger_cow                   4     6sKh    2d3cKc
tiger_cow                   4     2s2h7s  2d3cAs
tiger_cow                   -1    6sKs    6dKd
wu_dalang                   150   KsAhTc  KdAc9d
wu_dalang                   -1    KsAhTc  KdAcTd
wu_dalang                   -1    KsAhTc  2dKd7c
fortune_7                   40    6sKh    2dAc4h
fortune_7                   -1    6sKh    7dKc
fortune_7                   -1    7sKh    2dAc4h
golden_8                    25    2s3h3c  4dKc2h
golden_8                    -1    8sKh    7dKc
golden_8                    -1    KsAh7c  2dKd6c
blazing_7s                  50    7sKh    7dKc
blazing_7s                  200   2s3h2c  2dAc4h
blazing_7s                  -1    7sKh    2dAc4h
blazing_7s                  -1    6sKs    6dKd
heavenly_9                  10    2s3h4c  KdAc9d
heavenly_9                  10    KsAh9c  2dKd7c
heavenly_9                  75    2s3h4c  2dAc6h
heavenly_9                  -1    9sKh    9dKc
cover_all                   5     6sKh    2dAc4h
cover_all                   5     2s3h3c  4dKc2h
cover_all                   5     7sKh    7dKc
cover_all                   5     2s3h2c  2dAc4h
cover_all                   5     2s3h4c  KdAc9d
cover_all                   5     2s3h4c  2dAc6h
cover_all                   -1    9sKh    9dKc
"""

ANY_NATURAL = """
player_natural              4     8sKh    9dKc
player_natural              4     9sKh    2d3c
player_natural              0     8sKh    8dKc
player_natural              -1    2s3h3c  4dKc2h
banker_natural              4     9dKc    8sKh
banker_natural              4     2d3c    9sKh
banker_natural              0     9sKh    9dKc
banker_natural              -1    KsAh4c  2dKd7c
"""

SAME_RANK = """
tiger_pair                  100   4d4d    4d4d
tiger_pair                  100   4s4h    4d4c
tiger_pair                  20    4s4h    TdTc
tiger_pair                  20    TsTh9c  KdKc6s
tiger_pair                  4     9s9h    2d5c
tiger_pair                  -1    9sKh    9dKd
"""


def table(text: str) -> list[tuple[str, float, Hands]]:
    rows = (line.split() for line in text.splitlines() if line)
    return [(bet, float(pays), hands(player, banker)) for bet, pays, player, banker in rows]


def hands(player: str, banker: str) -> Hands:
    return {"player": cards(player), "banker": cards(banker)}
