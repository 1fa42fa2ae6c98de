"""The complete steps of a run as they were fed, in memory: what a Trial answers from.

Numbers lie in arrays, eight bytes each, in the order of the global steps; a
step is found by bisection.
"""

import array
import bisect
import sys

from vigil.torch import modes

MODES = (modes.TRAIN, modes.EVAL, modes.PREDICT, modes.GLOBAL)

# The statistics that come with a tensor, in this order.
STATISTICS = ("count", "min", "max", "mean", "m2", "l1", "zeros", "nan", "posinf", "neginf")
WIDTH = len(STATISTICS)

# Collections that stand for a kind hold also what has that kind.
KINDS = {"gradients": "gradient", "weights": "weight", "biases": "bias", "losses": "loss", "labels": "label", "predictions": "prediction"}


def position(numbers, number):
    """Where a number is in an ascending array; -1 when it does not."""
    i = bisect.bisect_left(numbers, number)
    return i if i < len(numbers) and numbers[i] == number else -1


class Part(object):
    """What one worker left of one tensor (or scalar): rows in the order of global steps."""

    def __init__(self, scalar):
        self.scalar = scalar
        self.steps = array.array("q")  # global ones
        self.of_mode = {}  # mode -> its steps, ascending
        self.rows = array.array("d")
        self.stored = bytearray()  # of a tensor: whether its values are stored
        self.computed = {}  # global step -> {name: number that was computed at capture}
        self.shapes = {}  # mode -> global steps at which the shape became another one, ascending; and the shapes

    def begin(self, step, mode, mode_step):
        """A row follows, of this step."""
        self.steps.append(step)
        if mode not in self.of_mode:
            self.of_mode[mode] = array.array("q")
        self.of_mode[mode].append(mode_step)

    def has(self, step):
        return position(self.steps, step) >= 0

    def value(self, step):
        """The number of a scalar at a global step; None when there is none."""
        i = position(self.steps, step)
        return None if i < 0 or not self.scalar else self.rows[i]

    def statistics(self, step):
        """The statistics at a global step as a dict; None when there are none."""
        i = position(self.steps, step)
        if i < 0 or self.scalar:
            return None
        return dict(zip(STATISTICS, self.rows[i * WIDTH : (i + 1) * WIDTH]))

    def reshape(self, step, mode, shape):
        """From this step of its mode on the tensor has another shape."""
        steps, shapes = self.shapes.setdefault(mode, (array.array("q"), []))
        steps.append(step)
        shapes.append(shape)

    def shape(self, step, mode, first):
        """The shape at a global step of a mode; ``first`` is the one that was announced."""
        steps, shapes = self.shapes.get(mode, ((), ()))
        i = bisect.bisect_right(steps, step)
        return shapes[i - 1] if i else first

    def has_values(self, step):
        i = position(self.steps, step)
        return i >= 0 and (self.scalar or bool(self.stored[i]))


class Steps(object):
    """All that was fed."""

    def __init__(self):
        self.order = array.array("q")  # global steps
        self.mode = bytearray()  # of each
        self.mode_step = array.array("q")  # of each
        self.of_mode = {m.value: (array.array("q"), array.array("q")) for m in MODES}  # mode steps, their global steps
        self.times = array.array("d")
        self.infos = {}  # name -> what is known of the tensor
        self.names = []  # by the number that frames use
        self.numbers = []  # names of derived numbers, likewise
        self.parts = {}  # name -> {worker: Part}
        self.workers = []  # sorted
        self.ended = None  # how the job ended

    def announce(self, infos):
        for info in infos:
            self.infos[info["name"]] = info

    def add(self, header, block):
        """Take in a step."""
        for name in header.get("new", ()):
            self.names.append(name["name"])
            self.infos.setdefault(name["name"], name)
        self.numbers.extend(header.get("stats", ()))
        values = array.array("d")
        values.frombytes(block)
        if sys.byteorder == "big":
            values.byteswap()
        step, mode, mode_step = header["step"], header["mode"], header["mode_step"]
        self.order.append(step)
        self.mode.append(mode)
        self.mode_step.append(mode_step)
        self.times.append(header["time"])
        steps, of = self.of_mode[mode]
        steps.append(mode_step)
        of.append(step)
        at = 0
        for worker, scalars, tensors, *more in header["parts"]:
            derived = more[0] if more else 0
            if worker not in self.workers:
                bisect.insort(self.workers, worker)
            ids = values[at : at + scalars]
            for i, number in enumerate(ids):
                part = self._part(int(number), worker, True)
                part.begin(step, mode, mode_step)
                part.rows.append(values[at + scalars + i])
            at += 2 * scalars
            for i in range(tensors):
                row = at + i * (WIDTH + 2)
                part = self._part(int(values[row]), worker, False)
                part.begin(step, mode, mode_step)
                part.stored.append(int(values[row + 1]))
                part.rows.extend(values[row + 2 : row + 2 + WIDTH])
            at += tensors * (WIDTH + 2)
            shaped = {}
            for i in range(at, at + 3 * derived, 3):
                part, name = self._part(int(values[i]), worker, False), self.numbers[int(values[i + 1])]
                if name.startswith("shape"):
                    shaped.setdefault(part, {})[name] = int(values[i + 2])
                else:
                    part.computed.setdefault(step, {})[name] = values[i + 2]
            for part, numbers in shaped.items():
                part.reshape(step, mode, tuple(numbers.get("shape[%d]" % k, 0) for k in range(numbers.get("shape_rank", 0))))
            at += 3 * derived

    def _part(self, number, worker, scalar):
        parts = self.parts.setdefault(self.names[number], {})
        part = parts.get(worker)
        if part is None:
            part = parts[worker] = Part(scalar)
        return part

    @property
    def last(self):
        """The last global step; -1 before the first."""
        return self.order[-1] if self.order else -1

    def find(self, step, mode):
        """The global step of a step of a mode; None when there is none. GLOBAL means global steps."""
        if mode is None or mode.value == modes.GLOBAL.value:
            return step if position(self.order, step) >= 0 else None
        steps, of = self.of_mode[mode.value]
        i = position(steps, step)
        return None if i < 0 else of[i]

    def place(self, step):
        """(mode, mode step) of a global step; None when there is none."""
        i = position(self.order, step)
        return None if i < 0 else (MODES[self.mode[i]], self.mode_step[i])

    def resolve(self, name):
        """The name under which there are values: that of the first name for another one. None when there are none."""
        if name in self.parts:
            return name
        first = self.infos.get(name, {}).get("alias_of")
        return first if first in self.parts else None

    def all_names(self):
        """The names of which there are values, other names of the same values too."""
        names = set(self.parts)
        names.update(name for name, info in self.infos.items() if info.get("alias_of") in self.parts)
        return names

    def in_collection(self, name, collection):
        info = self.infos.get(name, {})
        if collection == "all" or collection in (info.get("collections") or ()):
            return True
        return KINDS.get(collection, "") == info.get("kind")

    def collections(self):
        """Names of collections -> names of the tensors in them."""
        out = {"all": set(self.all_names())}
        for name in out["all"]:
            info = self.infos.get(name, {})
            of = set(info.get("collections") or ())
            of.update(c for c, kind in KINDS.items() if kind == info.get("kind"))
            for c in of:
                out.setdefault(c, set()).add(name)
        return out
