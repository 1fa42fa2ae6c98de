"""Follows the trainings of a process and says when steps open and close.

A step is one round of boosting; its number is that of the round, also where an
earlier model is trained further. One training of a process is followed, with
those that continue its model: a curve made of several trainings means nothing.
"""

import sys
import threading
import time

import xgboost

from vigil import _fork, _guard, _log, _marks, _schedule, _session, _why_not_trained, _wire
from vigil._session import Session
from vigil._xgboost import booster, facts, given, metrics, saves, watch
from vigil._xgboost.control import Control
from vigil._xgboost.training import Training

_now = time.perf_counter_ns


class Tracker(Control):
    """The state of one process's training; the script's calls are in control."""

    def __init__(self):
        self.start_agent = False
        self.dir = None
        self.name = None
        self.asked = False  # the script made a Hook
        self.closed = False
        self.mode = None  # what the script set, or None
        self.marks = _marks.Marks()
        self._clear()

    def _clear(self):
        """The state of a process in which nothing was seen yet."""
        self.session = None
        self.refused = False  # there is nothing to connect to
        self.training = None  # the one that is followed
        self.others = 0  # trainings that are not followed
        self.cross_validated = False
        self.due = _schedule.Due()
        self.away = _schedule.Away()
        self.saves = []
        self.series = {}  # name -> id of numbers of our own
        self.waiting_collections = []
        self.custom = {}  # name of a tensor the script saved -> (id, shape)
        self.early = None  # what the script gave in a round whose number is not known yet: (method of ours, its arguments)
        self.world = 1
        self.last = (0, 0, 0)  # step, mode, mode step that closed last

    def install(self):
        """Be there for every training. Once per process."""
        self.everywhere = watch.install(self)
        given.install()
        _fork.on_child(self.forked)
        _why_not_trained.watch(lambda: self.session is not None or self.refused or self.closed, self.reason)

    def starts(self, dir, name):
        """The script asked for Vigil itself: an agent may be started."""
        self.start_agent = self.asked = True
        self.dir = dir or self.dir
        self.name = name or self.name

    def forked(self):
        """In a forked child: forget the parent's session; connect again if this process trains."""
        self.marks.forget()
        self._clear()
        _log.unregister(self)

    def reason(self):
        """What was seen in a process that was not seen to train, for a person. A script that calls Booster.update itself is not seen."""
        if self.cross_validated:
            return "only xgboost.cv was called: it creates no model to watch; pass it vigil.xgboost.Hook() for its metrics"
        return "XGBoost was imported, but no training was seen (training with Booster.update, without xgboost.train, is not supported)"

    # Which training.

    def joins(self, cv):
        """Whether a training whose script gave no Hook is to be followed."""
        if self.closed or self.asked:
            return False
        if cv:
            self.cross_validated = True
        return not cv

    def begins(self, watch, model):
        """A training begins."""
        if self.closed:
            return
        self._give_early()
        training = Training(watch, hasattr(model, "cvfolds"))
        watch.further = None
        if self.training is None:
            if watch.asked or not self._elsewhere():
                self.training = training
            return
        if self.training.watch is watch:
            self.training.watch = None
        watch.further = training

    def _goes_on(self, watch, model, epoch):
        """The first round of a further training is over: follow it if it trains the model that is followed."""
        training, watch.further = watch.further, None
        training.count(model, epoch)
        if not training.continues(self.training):
            self._other()
        elif watch.asked or not self._elsewhere():
            self.training = training
            if self._connected():
                self.session.begins()
                return
        self._give_early()

    def _elsewhere(self):
        """Whether this process trains with another framework, too."""
        other = _session.current()
        return other is not None and other is not self.session and not _log.holds(other)

    def _other(self):
        self.others += 1
        if self.session is None:
            return
        self.session.missing([("a further training", "only the first training of a process is followed, and those that continue its model", 1)])
        if self.others == 1:
            hint = "create a vigil.xgboost.Hook() before all trainings and pass it to the one to follow" if not self.asked else ""
            self.session.notice("info", "only the first training of this process is followed", hint)

    def _mine(self, watch):
        if watch.further is not None and not self.closed:
            return watch.further
        training = self.training
        return training if training is not None and training.watch is watch and not self.closed else None

    def given(self, watch, train, evals, own_objective, watched):
        """The data of a training, ahead of each round, whether the script computes the objective, and the name of what early stopping watches."""
        training = self._mine(watch)
        if training is not None:
            training.given(train, evals, own_objective, watched)

    # Rounds.

    def round_begins(self, watch, model, epoch, evals_log):
        training = self._mine(watch)
        if training is None or (training is self.training and not self._connected()):
            return
        began = _now()
        training.log, training.epoch, training.model = evals_log, epoch, model
        training.open = True
        training.began = training.ended or time.perf_counter()
        if self.session is None:
            return
        self.marks.trains_in(threading.get_ident())
        self.marks.begins(_marks.OTHER)
        if training.first is None and self.early is None:
            self.early = []
        if training is not self.training:
            return
        self.session.begins()
        if self.session._next_plan is not None:
            self._take_plan()
        training.own = _now() - began

    def round_ends(self, watch, model, epoch, evals_log):
        began = _now()
        if watch.further is not None and not self.closed:
            self._goes_on(watch, model, epoch)
        training = self._mine(watch)
        if training is None or self.session is None or not training.open:
            return
        self.marks.ends(_marks.OTHER)
        training.count(model, epoch)
        step = training.first + epoch
        if step < training.next:
            return  # of a training that began again by itself
        at, due, set_up = self.at(step), None, 0
        ring = self.session.ring
        try:
            if not training.looked:
                self.due.reschedule([step] * 4)
                self._give_early(at)
                self._first(training, model)
                set_up = _now() - began
                self.session.once_ns += set_up
            self.away.begins(ring.waited)
            self._metrics(training, epoch, at)
            due = self._save(training, model, at)
        finally:
            training.open, training.model, training.next, self.last = False, None, step + 1, at
            self.away.ends(ring.waited)
            own = max(training.own + _now() - began - set_up - self.away.take(ring.waited), 0)
            training.ended = time.perf_counter()
            seconds = training.ended - training.began - set_up * 1e-9
            self.session.step(at[0], at[1], at[2], seconds, own)
            self.marks.step(at[1], False, at[0], at[2])
        self._after(training, seconds, own, due)

    def ends(self, watch, model):
        """A training is over. Where it was stopped before the last round was told, that one is taken up."""
        training = self._mine(watch)
        if training is None:
            return
        if training.open and metrics.last(training.log, training.epoch):
            self.round_ends(watch, training.model, training.epoch, training.log)
        watch.further = None
        self._give_early()
        training.over()

    def at(self, step):
        """(step, mode, mode step) as records carry it."""
        mode = _wire.TRAIN if self.mode is None else self.mode
        return step, mode, step

    def _first(self, training, model):
        """The first round is over: the model can say what it is made of."""
        training.looked = True
        if training.cv:
            return
        training.look(model)
        if not self.saves:
            kinds = [k for k in saves.ALL if k not in (saves.Labels, saves.Predictions) or self._predicts()]
            self.saves = [k(self.session) for k in kinds]
        for s in self.saves:
            self._announce(s, training)
        self._wait_for_plan()
        shap = [s for s in self.saves if s.costly and s.wanted()]
        if shap and any(self._announce(s, training) for s in shap):
            self._wait_for_plan()
        facts.tell(self, training)

    @staticmethod
    def _announce(s, training):
        try:
            return s.announce(training)
        except Exception as error:
            s.tell(booster.reason(error))
            return False

    def _predicts(self):
        """Whether predictions can be made: where several processes train one model together, all would have to."""
        if self.world == 1:
            return True
        self.session.missing([("predictions", "several processes train one model together", 1), ("labels", "several processes train one model together", 1)])
        return False

    def _metrics(self, training, epoch, at):
        """Publish the metrics of a round."""
        scalar = self.session.scalar
        for data, metric, value in metrics.last(training.log, epoch):
            ids = training.ids.get((data, metric))
            if ids is None:
                ids = training.ids[data, metric] = self._metric(training, data, metric)
            for id in ids:
                scalar(id, at[0], at[1], at[2], value)

    def _metric(self, training, data, metric):
        """The ids of a metric: that of its name, that of the training's, and that of the loss."""
        name = "%s-%s" % (data, metric)
        train = training.is_training(data)
        loss = metrics.is_loss(metric) and (train or metrics.is_validation(data))
        ids = []
        first = None
        if train and not metrics.is_training(data):
            first = "train-" + metric
            ids.append(self.number(first, loss))
        ids.append(self.number(name, loss, first))
        if loss and train and training.loss is None:
            training.loss = first or name
            ids.append(self.number("loss", True, training.loss))
        return [id for id in ids if id is not None]

    def number(self, name, loss=False, alias_of=None):
        """The id of a number, announced when it is met first."""
        id = self.series.get(name)
        if id is None:
            info = {"name": name, "kind": "loss" if loss else "scalar", "dtype": "F64", "shape": []}
            if alias_of:
                info["alias_of"] = alias_of
            id = self.series[name] = self.session.announce_tensors([info])[0]
        return id

    def _save(self, training, model, at):
        """Publish what is due; the schedules that were."""
        if training.cv:
            return None
        schedules = self.due.due(at[1], at[2])
        first = at[2] == training.first
        if not schedules and not first:
            return None
        for s in self.saves:
            names = s.due(schedules or frozenset())
            if first and s.name == "hyperparameters":
                names = set(s.ids)  # they rarely change
            if names:
                s.save(training, model, names, at)
        return schedules

    def _after(self, training, seconds, own, due):
        auto = self.due.auto
        if auto.add(seconds, own, self.due.kind(due)):
            self.due.reschedule([training.next] * 4)
        if auto.count % 20 == 0:
            self.session.step_seconds = auto.median_step()

    # The session.

    def _connected(self):
        if self.session is None and not self.refused:
            self._connect()
        return self.session is not None

    def _connect(self):
        rank, local_rank, self.world = ranks()
        self.session = Session.connect("xgboost", xgboost.__version__, rank, local_rank, self.world, start=self.start_agent, dir=self.dir, name=self.name)
        if self.session is None:
            self.refused = True
            self.marks.close()
            return
        self.marks.goes_to(self.session)
        self.session.ring.patience = _schedule.PATIENCE
        self.session.before_bye = self._finish
        for fields in self.waiting_collections:
            self.session.collection(**fields)
        self.waiting_collections = []
        _log.register(self)
        if not self.everywhere:
            self.session.missing([("labels and predictions", "this version of XGBoost does not pass the data to callbacks; pass validation_data to the hook", 1)])

    def _finish(self):
        """The session ends."""
        self._give_early()
        self.marks.send(True)

    def _take_plan(self):
        """Apply a plan that has come; whether one had."""
        plan = self.session.new_plan()
        if plan is None:
            return False
        used = set()
        for s in self.saves:
            used |= s.apply(plan)
        self.due.use(plan, used)
        self.due.reschedule([0 if self.training is None else self.training.next or 0] * 4)
        return True

    def _wait_for_plan(self):
        """The plan for what was just announced comes within milliseconds; the first step waits for it."""
        last = max([id for s in self.saves for id in s.ids.values()], default=None)
        if last is None or not self.wait_for_plan(lambda plan: last in plan.tensors):
            for s in self.saves:
                s.apply(self.session.plan)

    def wait_for_plan(self, enough):
        """Wait a little for a plan that is enough; whether it came."""
        end = time.monotonic() + _schedule.FIRST_PLAN_S
        while time.monotonic() < end and self.session.alive:
            if self._take_plan() and enough(self.session.plan):
                return True
            time.sleep(0.001)
        return False


def ranks():
    """(rank, local rank, world size) of this process."""
    collective = getattr(xgboost, "collective", None) or sys.modules.get("xgboost.collective")
    try:
        if collective is not None and collective.is_distributed():
            return collective.get_rank(), collective.get_rank(), collective.get_world_size()
    except Exception as error:
        _guard.failed("xgboost.ranks", error)
    return 0, 0, 1
