"""A model service on this machine: the wire formats of OpenAI, Gemini and Anthropic, and ways to break them."""

from assay.testing.provider.exchange import Exchange
from assay.testing.provider.faults import FAULTS, Fault
from assay.testing.provider.rules import (
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
from assay.testing.provider.server import LocalProvider

__all__ = [
    "FAULTS",
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
