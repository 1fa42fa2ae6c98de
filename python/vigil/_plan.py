"""The capture plan as the agent sends it (docs/protocol.md section 5)."""

from vigil._wire import MODES

_OFF = {"every": 0, "start": 0, "end": 0, "steps": frozenset(), "off": True, "yields": False}


class Plan(object):
    """What is due when.

    ``version``; ``budget`` (share of the step time capture may take); ``use``
    (bytes of the data area that may be used); ``schedules``: list of dicts,
    mode number to a dict of every, start, end, steps (a frozenset), off and yields;
    ``tensors``: dict of tensor id to the list of its schedule indexes (-1:
    never); ``values``: likewise, when the values themselves are wanted and not
    only statistics (None: always); ``modules``: list of (path, "input" or "output", schedule index);
    ``losses``; ``strict``.
    """

    __slots__ = ("version", "budget", "use", "schedules", "tensors", "values", "modules", "losses", "strict")

    def __init__(self, message=None):
        message = message or {}
        self.version = int(message.get("version") or 0)
        self.budget = float(message.get("budget") or 0.0)
        self.use = int((message.get("ring") or {}).get("use") or 0)
        self.schedules = [_schedule(s) for s in message.get("schedules") or ()]
        self.tensors = {}
        for pair in message.get("tensors") or ():
            self.tensors.setdefault(int(pair[0]), []).append(int(pair[1]))
        self.values = None
        if message.get("values") is not None:
            self.values = {}
            for pair in message["values"]:
                self.values.setdefault(int(pair[0]), []).append(int(pair[1]))
        self.modules = [(m[0], m[1], int(m[2])) for m in message.get("modules") or ()]
        self.losses = bool(message.get("losses", True))
        self.strict = bool(message.get("strict", False))

    def due(self, index, mode, n, auto):
        """Whether mode step n is due in schedule ``index``; ``auto`` is the interval that the budget chose."""
        return index >= 0 and due(self.schedules[index][mode], n, auto)


def due(schedule, n, auto):
    """Whether step n is due in the schedule of one mode."""
    if n in schedule["steps"]:
        return True
    if schedule["off"] or n < schedule["start"]:
        return False
    end = schedule["end"]
    if end and n >= end:
        return False
    every = schedule["every"] or auto
    return every > 0 and n % every == 0


def _schedule(modes):
    out = {}
    for number, name in enumerate(MODES):
        m = modes.get(name)
        if m is None:
            out[number] = _OFF
            continue
        out[number] = {
            "every": int(m.get("every") or 0),
            "start": int(m.get("start") or 0),
            "end": int(m.get("end") or 0),
            "steps": frozenset(int(s) for s in m.get("steps") or ()),
            "off": bool(m.get("off", False)),
            "yields": bool(m.get("yields", False)),
        }
    return out
