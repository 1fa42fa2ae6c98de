"""The Tracker's part that the script calls (vigil.xgboost.Hook and vigil.log)."""

import numpy

from vigil import _arrays, _wire
from vigil._messages import to_number


class Control(object):
    """Mixed into Tracker."""

    def set_mode(self, mode):
        self.mode = mode

    def collection(self, fields):
        if self.session is not None:
            self.session.collection(**fields)
        else:
            self.waiting_collections.append(fields)

    def save_scalar(self, name, value):
        self._record({name if name == "loss" else "scalar/" + str(name): value})

    def log(self, values, step=None):
        """vigil.log: numbers of the present round; with a step also under the script's own count."""
        if self.closed:
            return
        self._record(values)
        if step is not None and self.session is not None:
            self.session.metrics(values, int(step), _wire.GLOBAL, int(step), free=True)

    def _record(self, values):
        """Record numbers at the round under way; between rounds, at the one that closed last."""
        if not self._begin_session():
            return
        if self.early is not None:
            self.early.append((self._numbers, ({name: _number(value) for name, value in values.items()},)))
        else:
            self._numbers(values, *self._now_at())

    def _now_at(self):
        """Where what the script gives now belongs, and whether that round has closed."""
        training = self.training
        if training is None or not training.open or training.next is None:
            return self.last, True
        return self.at(training.next), False

    def _give_early(self, at=None):
        """Record what the script gave in a round whose number was not known: it is at, or will not be known."""
        early, self.early = self.early, None
        for record, args in early or ():
            record(*args, *(self._now_at() if at is None else (at, False)))

    def _numbers(self, values, at, free):
        training = self.training
        if "loss" in values:
            values = dict(values)
            if training is not None and training.loss is not None:
                values["scalar/loss"] = values.pop("loss")  # the round has a loss of its own
            else:
                self.session.scalar(self.number("loss", True), at[0], at[1], at[2], to_number(values.pop("loss")), free)
        self.session.metrics(values, *at, free=free)

    def save_tensor(self, name, value, collections=None):
        """Values of the round under way; between rounds, of the one that closed last."""
        if not self._begin_session():
            return
        if not self.session.plan.use:
            self.wait_for_plan(lambda plan: plan.use)
        if self.early is not None:
            self.early.append((self._tensor, (name, _copy(value), collections)))
        else:
            self._tensor(name, value, collections, *self._now_at())

    def _tensor(self, name, value, collections, at, between):
        _arrays.save(self.session, self.custom, name, value, collections, at, between)

    def _begin_session(self):
        """Whether there is a session; a script that uses the control calls gets one before it trains."""
        if self.session is None and not self.refused and self.start_agent:
            self._connect()
        return self.session is not None

    def close(self):
        """Finish for good."""
        if self.closed:
            return
        session = self.session
        if session is not None:
            session.bye()
        self.closed = True
        self.marks.close()
        self.session = None
        self.refused = True


def _number(value):
    """value as the number it is now; itself when it is none."""
    try:
        return to_number(value)
    except Exception:
        return value


def _copy(value):
    """value as the array it is now; itself when it is none."""
    try:
        return numpy.array(_arrays.array(value))
    except Exception:
        return value
