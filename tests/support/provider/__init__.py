"""A model service on this machine: the wire formats of OpenAI, Gemini and Anthropic, and ways to break them."""

from support.provider.exchange import Exchange
from support.provider.faults import FAULTS, Fault
from support.provider.rules import (
    MADE_UP,
    AnswerRule,
    Asked,
    Connections,
    Disconnect,
    Reply,
    Request,
    ServerEvent,
    Tokens,
    Wire,
    counted,
    plain_answer,
    smallest,
)
from support.provider.server import LocalProvider

__all__ = [
    "FAULTS",
    "MADE_UP",
    "AnswerRule",
    "Asked",
    "Connections",
    "Disconnect",
    "Exchange",
    "Fault",
    "LocalProvider",
    "Reply",
    "Request",
    "ServerEvent",
    "Tokens",
    "Wire",
    "counted",
    "plain_answer",
    "smallest",
]
