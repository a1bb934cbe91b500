"""Why something was refused. Every text is for the player: what is wrong, and what to call next.

Nothing has changed when one of these is raised, with one exception that its text names: where the
operator counts illegal moves, one too many loses the game.
"""

from __future__ import annotations

from agenthost import ToolError


class Refused(ToolError):
    """Base of all refusals of hardtoget."""


class BadArgument(Refused):
    """An argument is not what it has to be, whoever calls and whatever the game."""


class UnknownClient(Refused):
    """Nobody is registered under this client id."""


class UnknownGame(Refused):
    """There is no such game."""


class NotAPlayer(Refused):
    """This client plays no part in the game."""


class AlreadyPlaying(Refused):
    """The client has a seat already, in a game that is not over."""


class MirrorRefused(Refused):
    """The game cannot be played again with roles swapped, or not by this client."""


class IllegalMove(Refused):
    """The rules do not allow this move; counted if the operator counts them and the game is going on."""


class NotYourTurn(IllegalMove):
    """The game waits for the other player, or for a second one."""


class WrongRole(IllegalMove):
    """This move is the other player's."""


class NotOnOffer(IllegalMove):
    """The witness chose neither of the two options."""


class NotOnBoard(IllegalMove):
    """The detective eliminated nothing, or a word that is not there."""


class GameOver(IllegalMove):
    """The game has ended."""
