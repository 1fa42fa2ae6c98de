"""What was understood of a training, for machines and in one line for people."""

import torch

from vigil._torch import backend, labels, names

AFTER = 20  # TRAIN steps


class Facts(object):
    """Says once what model, optimiser, loss and step were found; later changes of the interval are sent without a new line."""

    def __init__(self, tracker):
        self.tracker = tracker
        self.loss = ""
        self.function = ""
        self.module = ""
        self.labels = labels.Labels()
        self.set_up = 0  # nanoseconds that finding the model and connecting took
        self.said = False
        self.told = None
        self.look_at = AFTER

    def loss_seen(self, function, module):
        """The loss that backward was first called on: its function in the graph and the loss module, as far as known."""
        self.function = function
        self.module = module
        self.loss = module or function or "a scalar of the script"

    def step(self, n):
        """n TRAIN steps have closed."""
        if n >= self.look_at:
            self.labels.open = False
            self.look_at = n - n % 100 + 100
            if not self.said or self.told != self.tracker.publisher.auto.interval:
                self.say()

    def finish(self):
        """The run ends, maybe before the line was said."""
        if not self.said and self.tracker.counter.next:
            self.say()
        self._unseen_validation()

    def say(self):
        facts = self.gather()
        self.told = self.tracker.publisher.auto.interval
        line = sentence(facts)
        self.said = True
        self.tracker.session.facts(facts, line)

    def gather(self):
        """The facts as a JSON object."""
        t = self.tracker
        models = []
        for root in t.roots:
            inner = root.inner()
            if inner is None:
                continue
            params = [p.value for p in names.parameters(inner) if p.shared is None and backend.why_not(p.value) is None]
            models.append({
                "name": root.name,
                "class": root.type,
                "parameters": sum(p.numel() for p in params),
                "trained": sum(p.numel() for p in params if p.requires_grad),
                "compiled": root.compiled,
            })  # fmt: skip
        optimisers = []
        for state in sorted(t.optims, key=lambda s: s.index):
            o = state.ref()
            if o is not None:
                rates = [g.get("lr") for g in o.param_groups]
                rates = [float(r) for r in rates if r is not None and not (isinstance(r, torch.Tensor) and r.device.type != "cpu")]
                optimisers.append({"class": state.type, "lr": rates[0] if rates else None, "lrs": rates, "loss": state.series})
        entries = t.publisher.frames.entries
        return {
            "framework": "pytorch",
            "model": models[0] if models else None,
            "models": models,
            "optimiser": optimisers[0] if optimisers else None,
            "optimisers": optimisers,
            "loss": {"name": self.loss, "function": self.function, "module": self.module},
            "labels": self.labels.gather(self.module or self.function),
            "step": self._what_a_step_is(),
            "tensors": {"weights": sum(not e.grad for e in entries), "gradients": sum(e.grad for e in entries)},
            "interval": t.publisher.auto.interval,
            "set_up_seconds": round(self.set_up * 1e-9, 6),
            "rank": t.publisher.rank,
            "world": t.publisher.world,
        }

    def _what_a_step_is(self):
        t = self.tracker
        if t.by_hand:
            return "one update written by hand"
        members = t.cycle.members or t.cycle.round
        if len(members) > 1:
            return "one round of %d optimisers: %s" % (len(members), ", ".join(m.type for m in members))
        return "one update by the optimiser"

    def _unseen_validation(self):
        """Evaluation took place, and no loss of it could be seen: say so, and what to add."""
        t = self.tracker
        if t.counter.modes[1] and not t.eval_loss_seen:
            t.session.notice(
                "info",
                "the loss of evaluation could not be seen: it is computed without gradients and without a loss module",
                'add hook.save_scalar("loss", value) after it in the validation loop; hook is vigil.torch.Hook()',
            )
            t.session.missing([("loss in EVAL", "computed without gradients and without a loss module", t.counter.modes[1])])


def sentence(facts):
    """The one line: model, optimiser, loss, step, tensors, interval."""
    parts = []
    if facts["models"]:
        parts.append(", ".join("%s (%s parameters)" % (m["class"], "{:,}".format(m["parameters"])) for m in facts["models"]))
    if facts["optimisers"]:
        parts.append(", ".join(o["class"] + (" lr %g" % o["lr"] if o["lr"] is not None else "") for o in facts["optimisers"]))
    function, module = facts["loss"]["function"], facts["loss"]["module"]
    if module or function:
        parts.append("loss " + (module or function) + (" (%s)" % function if module and function and function != "compiled" else ""))
    parts.append("a step is " + facts["step"])
    n = facts["tensors"]
    every = "every step" if facts["interval"] == 1 else "every %d steps" % facts["interval"]
    parts.append("%d weights and %d gradients, %s" % (n["weights"], n["gradients"], every))
    return " · ".join(parts)
