"""The Tracker's part that the script calls (vigil.xgboost.Hook and vigil.log)."""

from vigil import _wire
from vigil._words import to_number
from vigil._xgboost import arrays


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
        """vigil.log: numbers of the present step, or of a step that the script counts itself."""
        if self.closed:
            return
        if step is not None and self._begin_session():
            self.session.metrics(values, int(step), _wire.GLOBAL, int(step), free=True)
        elif step is None:
            self._record(values)

    def _record(self, values):
        """Record numbers at the round under way; between rounds, at the one that closed last."""
        if not self._begin_session():
            return
        training = self.training
        free = training is None or not training.open
        at = self.last if free else self.at(training.next)
        if "loss" in values:
            values = dict(values)
            self.session.scalar(self.number("loss", True), at[0], at[1], at[2], to_number(values.pop("loss")), free)
        self.session.metrics(values, *at, free=free)

    def save_tensor(self, name, value, collections=None):
        """Values of the round under way; between rounds, of the one that closed last."""
        training = self.training
        if not self._begin_session():
            return
        try:
            array = arrays.array(value)
        except Exception:
            self.session.not_taken(name, value, "saved value of type %s is not a tensor")
            return
        if arrays.dtype(array) is None:
            self.session.missing([(name, "element type %s" % array.dtype, 1)])
            return
        self.session.joins(name, collections)
        known = self.custom.get(name)
        if known is None:
            known = self.custom[name] = (self.session.announce_tensors([arrays.info(name, array, "custom")])[0], array.shape)
            if not self.session.plan.use:  # before the first plan there is no room
                self.wait_for_plan(lambda plan: plan.use)
        if known[0] is not None:
            shape = 0 if known[1] == array.shape else self.session.shape_id(array.shape)
            between = training is None or not training.open
            arrays.send(self.session, known[0], array, shape, self.last if between else self.at(training.next), force_raw=True, between=between)

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
        self.session = None
        self.refused = True
