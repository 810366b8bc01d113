"""The games a shoe can deal: each is a package, and a line here."""

from typing import Final

from firmware_bridge.games import baccarat, blackjack, erbagang, niuniu, zhajinhua
from firmware_bridge.games.game import Game

GAMES: Final[dict[str, Game]] = {
    baccarat.GAME.name: baccarat.GAME,
    blackjack.GAME.name: blackjack.GAME,
    niuniu.GAME.name: niuniu.GAME,
    erbagang.GAME.name: erbagang.GAME,
    zhajinhua.GAME.name: zhajinhua.GAME,
}

__all__ = ["GAMES", "Game"]
