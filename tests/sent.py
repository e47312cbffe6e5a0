"""The data of an execution as a client receives it: texts of runs and values are JSON."""

from typing import Any

import orjson


def as_sent(data: Any) -> Any:
    """The data after it was written as JSON and read again."""
    return orjson.loads(orjson.dumps(data, option=orjson.OPT_UTC_Z))
