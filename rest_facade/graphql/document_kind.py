"""How calls name their documents, as the log and the metrics show it."""

from enum import StrEnum


class DocumentKind(StrEnum):
    """text: sent with the call. persisted: by its hash, or sent to be kept by it. trusted: a document of the team."""

    text = "text"
    persisted = "persisted"
    trusted = "trusted"
