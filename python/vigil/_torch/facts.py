"""What was understood of a training, for machines and in one line for people."""

import torch

from vigil import _guard, _messages, _notebook
from vigil._torch import call_places, compat, names, saved_tensor_hooks, settings, sharded_tensors
from vigil._torch.averaged_models import Averages
from vigil._torch.debugging import Debugging
from vigil._torch.evaluation import EvalParts, EvalTrained, Evaluation
from vigil._torch.learning_rate_schedule import Schedule, WarmUps
from vigil._torch.look import SEE, Look
from vigil._torch.settings import node_settings
from vigil._torch.stale_optimiser_parameters import StaleParameters
from vigil._torch.unfrozen_parameters import Unfrozen
from vigil._torch.untrained_copies import Copies

AFTER = 20  # TRAIN steps
UNSEEN = "no validation loss was seen; without gradients Vigil sees PyTorch's loss modules and loss functions"
ORDINARY = "one update by the optimiser"  # what a step is unless something else is said
RATE = 0.1  # with a larger one a schedule scales something else than a rate, as one that is made of the width of a transformer


class Facts(object):
    """Says once what model, optimiser, loss and step were found; later changes of the interval are sent without a new line."""

    def __init__(self, tracker):
        self.tracker = tracker
        self.first = None  # (fixed, sections) of the first training, once another one is looked at
        self.entry = None  # where that one is told of; None: the first training is under way
        self.began = 0  # TRAIN steps before it
        self._begin(None)
        self.said = False
        self.line = ""
        self.told = None
        self.look_at = AFTER
        self.copies = Copies()
        self.averages = Averages(tracker)

    def _begin(self, optims):
        """Nothing was seen of the training that is under way. optims: optimisers of those before it, if there were any."""
        self.loss = ""
        self.function = ""
        self.module = ""
        self.reduction, self.settings = "", {}
        self.look = Look(self.tracker, optims)
        self.labels = self.look.labels
        self.evaluation = Evaluation(self.look)
        self.eval_trained, self.eval_parts = EvalTrained(), EvalParts()
        self.astray = StaleParameters(self.tracker)
        self.unfrozen = Unfrozen(self.tracker)
        self.schedule = Schedule()
        self.warm_ups = WarmUps()
        self.debugging = Debugging()
        self.sections = {}  # those that were told, each with its place
        self.fixed = {}  # what rules may have read with them
        if not self.tracker.looks:
            self.close()
        self.early = {}  # models and optimisers as they were found: a script that ends early has let go of them

    def close(self):
        """Nothing is looked at: what is told is what the training is made of."""
        self.look.open = self.labels.open = False

    def loss_seen(self, function, module, node=None):
        """The loss that backward was first called on: its function in the graph and the loss module, as far as known."""
        self.function = function
        self.module = module
        self.loss = module or function or "a scalar of the script"
        self.reduction, self.settings = self.look.losses.get(module) or node_settings(node)

    def call(self, kind, name=""):
        """The script makes a call that the hook sees: in the first steps its place is noted."""
        if self.look.open:
            self.look.calls.take(kind, name)

    def clipped(self, most, size, by_value=False):
        """The script clipped gradients that had this norm, or this largest magnitude."""
        if self.look.open and self.look.here():
            self.call("clip")
            self.look.gradients.clip.take(most, size, by_value)

    def step(self, n, root):
        """n TRAIN steps have closed, the last of them one of ``root``."""
        if self.tracker.looks:
            self._seen(n, root)
        if n >= self.look_at:
            self.labels.open = self.labels.open and n - self.began < AFTER
            self.look_at = n - n % 100 + 100
            if not self.said or self.told != self._interval():
                self.say()

    def _seen(self, n, root):
        if self.look.open or not self.said:
            self.warm_ups.take(n - self.began, self._ours())
        self.eval_trained.update(root, self.tracker.last_closed[::2])
        self.eval_parts.update(root)
        if n - self.began >= SEE and (not self.look.open or self.look.seen_each(n - self.began)) and self._news():
            self._tell()
            self._rate(n)
        if n >= self.look_at:
            self._rate(n)

    def _rate(self, n):
        """Note the learning rate after n TRAIN steps."""
        self.schedule.take(n - self.began, self._ours())
        self.warm_ups.take(n - self.began, self._ours())

    def _ours(self):
        """The optimisers of this training."""
        return [s for s in self.tracker.optims if s not in self.look.old]

    def eval_step(self, step):
        """An EVAL step has closed."""
        self.evaluation.ends(step)
        if not self.look.open and self._news():
            self._tell()

    def finish(self):
        """The run ends, maybe before the line was said."""
        self.evaluation.ends(self.evaluation.step)
        if self.tracker.looks and self.tracker.counter.next:
            _guard.guard(self._rate)(self.tracker.publisher.auto.count)
            self._tell(True)
        if not self.said and self.tracker.counter.next:
            self.say()
        if self.said and self.tracker.epochs.changed():
            self.told_anew()
        self._unseen_validation()
        if self.tracker.looks and saved_tensor_hooks.unsure():
            self.tracker.session.missing([("facts of the graph", "PyTorch %s does not say whether reading what was saved for backward computes it again (checkpoints, offloading)" % torch.__version__, 1)])

    def _news(self):
        """Whether a section is complete and was not sent."""
        if self.look.open or (self.evaluation.ready and "evaluation" not in self.sections):
            return True
        return any(one.facts is not None and name not in self.sections for name, one in self._late())

    def _late(self):
        """What may show at any step: (name of the section, what has its facts)."""
        return ("eval_trained", self.eval_trained), ("eval_parts", self.eval_parts), ("astray", self.astray), ("unfrozen", self.unfrozen)

    @_guard.guard
    def _tell(self, last=False):
        with self.look.timed():
            self._send(last)

    def _send(self, last):
        """Send the sections that are complete and were not sent; each comes with the step from which on rules may look at it.

        A record of that step is written only after this message.
        """
        new = {}
        if self.look.open:
            self._fix(self.look.gather(self.module or self.function), new)
            _guard.guard(self.averages.watch)()
        if "evaluation" not in self.sections and (self.evaluation.ready or last):
            new["evaluation"] = self.evaluation.gather()
        new.update((name, one.facts) for name, one in self._late() if name not in self.sections)
        cells = _notebook.cells() if (new or last) and call_places.wanted() else None
        if cells and cells["list"] != self.sections.get("cells", {}).get("list"):
            new["cells"] = cells
        if last:
            new["schedule"] = self.schedule.gather()
            new["averages"] = self.averages.gather()
            new["debugging"] = self.debugging.gather()
        new = {name: dict(facts, at=self.tracker.counter.next) for name, facts in new.items() if facts}
        if "cells" in new and "cells" in self.sections:
            new["cells"]["at"] = self.sections["cells"]["at"]  # those that were known stay known
        if new:
            self.sections.update(new)
            if self.entry is not None:
                self.entry["facts"] = dict(self.fixed, **self.sections)
            self.tracker.session.facts(self.gather(), self.line)

    def _fix(self, sections, new):
        """What rules read together with the sections stands from here on."""
        new.update(sections)
        if self.entry is None:
            facts = self.gather()
        else:
            t = self.tracker
            facts = self._understood(self.look.looked_at(), [s for s in t.optims if s not in self.look.old])
        for optimiser, groups in zip(facts["optimisers"], self.look.groups):
            optimiser["groups"] = groups
        self.fixed = {name: facts[name] for name in ("v", "framework", "model", "models", "optimiser", "optimisers", "loss", "step")}

    def say(self):
        facts = self.gather()
        self.told = facts["interval"]
        self.line = sentence(facts)
        self.said = True
        self.tracker.session.facts(facts, self.line)

    @_guard.guard
    def found(self):
        """Models and optimisers were found, and are still there."""
        self.copies_of(self.tracker.roots)
        facts = self._understood(self.tracker.roots, self.tracker.optims)
        self.early = {name: facts[name] for name in ("model", "models", "optimiser", "optimisers", "tensors")}

    def copies_of(self, roots):
        """Look for copies in models that were just found: nothing has changed their weights yet."""
        if self.tracker.looks:
            self.copies.look(roots, self.held())

    def held(self):
        """Ids of the parameters that an optimiser of this training holds; None where the script updates them itself."""
        return None if self.tracker.by_hand else self.look.held()

    def gather(self):
        """The facts as a JSON object."""
        t = self.tracker
        facts = self._understood(t.roots, t.optims)
        if not facts["models"] and not facts["optimisers"]:
            facts.update(self.early)
        fixed, sections = self.first or (self.fixed, self.sections)
        facts.update(fixed)
        facts.update(sections)
        if t.trainings.begun:
            facts["trainings"] = t.trainings.begun
        epochs = t.epochs.gather()
        if epochs:
            facts["epochs"] = epochs
        if not t.looks:
            facts["look"] = False
        return facts

    def _understood(self, roots, optims):
        """What stands outside of the sections, of these models and optimisers."""
        t = self.tracker
        held, models, copied = self.held(), [], set()
        every = {root: self.copies.of(root, held) for root in roots}
        alone = {id(one.copy()) for copies in every.values() for one in copies} | _parts(roots)
        for root in roots:
            inner, copies = root.inner(), every[root]
            if inner is None or id(inner) in alone:
                continue
            beside = {id(p) for one in copies for p in one.parameters()}
            copied |= beside
            elements, trained = _elements(inner, beside)
            models.append({
                "name": root.name,
                "class": root.type,
                "parameters": elements,
                "trained": trained,
                "compiled": root.compiled,
                "called": root.known_called,
            })  # fmt: skip
            if copies:
                models[-1]["copies"] = [one.facts() for one in copies]
        optimisers = []
        for state in sorted(optims, key=lambda s: s.index):
            if state.ref() is not None:
                optimisers.append(self.optimiser(state))
                warm_up = self.warm_ups.of(state)
                if warm_up:
                    optimisers[-1]["warm_up"] = warm_up
        entries = t.publisher.frames.entries
        tensors = {"weights": sum(not e.grad and not e.kept for e in entries), "gradients": sum(e.grad for e in entries)}
        copied = sum(not e.grad and not e.kept and id(e.parameter()) in copied for e in entries) if copied else 0
        if copied:
            tensors["copied"] = copied
        return {
            "v": _messages.FACTS,
            "framework": "pytorch",
            "model": models[0] if models else None,
            "models": models,
            "optimiser": optimisers[0] if optimisers else None,
            "optimisers": optimisers,
            "loss": self._loss(),
            "labels": None,
            "step": self._what_a_step_is(),
            "tensors": tensors,
            "interval": self._interval(),
        }

    def optimiser(self, state):
        """What an optimiser is, and its rate as it is now."""
        groups = state.ref().param_groups
        rates = [g.get("lr") for g in groups]
        rates = [float(r) for r in rates if r is not None and not (isinstance(r, torch.Tensor) and r.device.type != "cpu")]
        facts = {"class": state.type, "lr": rates[0] if rates else None, "loss": state.series}
        base = settings.plain(groups[0].get("initial_lr")) if rates else None
        if base is not None:
            facts["set"] = base
        return facts

    def _interval(self):
        publisher = self.tracker.publisher
        return publisher.interval(publisher.of_parameters)

    def training_begins(self, entry, state):
        """A further training of the process begins: rules must know before its first step.

        It is looked at when entry, its place among the trainings, is given, and
        the look at the one before is over. state: its first optimiser. Returns
        whether it is looked at.
        """
        looks = entry is not None and self.tracker.looks and not self.look.open
        if looks:
            entry["facts"] = {}
            if self.entry is None:
                self.first = (self.fixed, self.sections)
            self.entry = entry
            self.began = self.tracker.publisher.auto.count
            self.evaluation.detach()
            self._begin([s for s in self.tracker.optims if s is not state])
        self.told_anew()
        return looks

    @_guard.guard
    def told_anew(self):
        """Send what is outside of the sections as it is now."""
        self.tracker.session.facts(self.gather(), self.line)

    def _loss(self):
        facts = {"name": self.loss, "function": self.function, "module": self.module}
        if self.reduction:
            facts["reduction"] = self.reduction
        if self.settings:
            facts["settings"] = self.settings
        return facts

    def _what_a_step_is(self):
        t = self.tracker
        if t.by_hand:
            return "one update written by hand"
        members = t.cycle.members or t.cycle.round
        ours = [s for s in t.optims if s in members or s.ref() is not None and s not in self.look.old]
        stepped = {id(s.ref()) for s in t.optims}
        every = len(ours) + sum(ref() is not None and id(ref()) not in stepped for ref in t.unstepped)
        if len(members) > 1:
            several = "%d" % every if every <= len(members) else "%d of %d" % (len(members), every)
            return "one round of %s optimisers: %s" % (several, ", ".join(m.type for m in members))
        if every > 1 and (members or ours):
            return "one update by %s, one of %d optimisers" % ((members or ours)[0].type, every)
        return ORDINARY

    def _unseen_validation(self):
        """A model ran in evaluation, and no loss of that was seen: say what that leaves unjudged, and what to add where there is one. It may compute only an accuracy, or draw samples."""
        t = self.tracker
        if t.counter.modes[1] and not t.eval_loss_seen:
            t.session.notice(
                "info",
                "overfitting was not checked: no validation loss was seen. Without gradients Vigil sees PyTorch's loss modules and loss functions",
                'where the evaluation computes one, put "try: import vigil" and "except ImportError: vigil = None" at the top, and "if vigil: vigil.log({"loss": value})" after it',
            )
            unclear = t.functions.unclear
            why = "%s gave values, and they are not known to be the loss that the training minimises" % unclear if unclear else UNSEEN
            t.session.missing([("loss in EVAL", why, t.counter.modes[1])])


def _parts(roots):
    """Ids of the modules inside roots: a part that is called alone, too, is no model next to the whole."""
    return {id(m) for root in roots if root.inner() is not None for m in root.inner().modules() if m is not root.inner()}


def _elements(model, beside):
    """(elements of all parameters of a model, of those that ask for gradients), without those of copies (ids)."""
    every = trained = 0
    seen = set(beside)
    for _, module in names.walk(model):
        for p in module._parameters.values():
            if p is None or id(p) in seen:
                continue
            seen.add(id(p))
            if compat.why_not(sharded_tensors.local(p)) is None:
                n = p.numel()
                every += n
                if p.requires_grad:
                    trained += n
    return every, trained


def sentence(facts):
    """The one line: model, optimiser, loss, step, tensors, interval."""
    parts = []
    if facts["models"]:
        parts.append(", ".join("%s (%s)" % (m["class"], _size(m)) for m in facts["models"]))
    if facts["optimisers"]:
        parts.append(", ".join(o["class"] + (" lr " + _rate(o) if o["lr"] is not None else "") for o in facts["optimisers"]))
    if facts["loss"]["module"] or facts["loss"]["function"]:
        parts.append("loss " + _loss(facts["loss"], facts.get("graph") or {}))
    if facts["step"] != ORDINARY:
        parts.append("a step is " + facts["step"])
    n = facts["tensors"]
    every = "every step" if facts["interval"] == 1 else "every %d steps" % facts["interval"]
    copied = " (%d of copies)" % n["copied"] if n.get("copied") else ""
    parts.append("%d weights%s and %d gradients, %s" % (n["weights"], copied, n["gradients"], every))
    return " · ".join(parts)


def _loss(loss, graph):
    """What the loss is: of a sum all that is known of it."""
    function, module = loss["function"], loss["module"]
    if module:
        return module + (" (%s)" % function if function and function != "compiled" else "")
    addends = [one["function"] for one in graph.get("addends") or ()]
    if addends:
        return " + ".join(addends)
    return function + (" + other terms" if graph.get("terms") else "")


def _rate(optimiser):
    """The rate that the script set for an optimiser, and that a schedule changes it; one that is being warmed up as such, with what it rises to where a schedule tells that."""
    text, warm_up, base = "%.3g" % optimiser["lr"], optimiser.get("warm_up"), optimiser.get("set")
    if warm_up is None:
        return text if base is None else "%s, scheduled" % (text if base > RATE >= optimiser["lr"] else "%.3g" % base)
    if warm_up.get("to", RATE + 1) > RATE:
        return "%s (at step %d, rising)" % (text, warm_up["step"])
    return "%.3g, scheduled (warm-up)" % warm_up["to"]


def _size(model):
    """How many parameters a model has, how many of them train, and what copies are next to them."""
    every, trained = model["parameters"], model["trained"]
    text = "{:,} parameters".format(every) if every == trained else "{:,} of {:,} parameters train".format(trained, every)
    copies = model.get("copies", ())
    if len(copies) == 1:
        return "%s; %s is a copy of %s that does not train" % (text, copies[0]["path"], copies[0]["of"])
    if copies:
        return "%s; copies that do not train: %s" % (text, ", ".join(one["path"] for one in copies[:3]) + (" and %d more" % (len(copies) - 3) if len(copies) > 3 else ""))
    return text
