"""Rules as Python classes: copy what you need. my_rules.yaml runs them, docs/python-rules.md explains them."""

from vigil.rules import Rule, modes


class LossLeap(Rule):
    """The loss is many times what it has been on the average of its last steps."""

    def __init__(self, base_trial, factor=3.0, window=20):
        super().__init__(base_trial)
        self.factor = factor
        self.window = window

    def invoke_at_step(self, step):
        loss = self.base_trial.tensor("loss")
        steps = loss.prev_steps(self.base_trial.mode_step(step), self.window + 1, mode=modes.TRAIN)
        if self.base_trial.mode(step) != modes.TRAIN or len(steps) <= self.window:
            return False
        now = loss.value(steps[-1], mode=modes.TRAIN)
        before = sum(loss.value(s, mode=modes.TRAIN) for s in steps[:-1]) / self.window
        if now > self.factor * before:
            self.finding(
                "The loss leaps from %.3g to %.3g." % (before, now),
                subject="loss", observed=now, threshold=self.factor * before, comparator=">", cause_class="data-loading",
            )  # fmt: skip


class TurnedAway(Rule):
    """The weights of a layer no longer point where they did when they were seen first."""

    def __init__(self, base_trial, name="^(?!gradient).*weight$", least=0.5):
        super().__init__(base_trial)
        self.name = name
        self.least = least
        self.first = {}

    def invoke_at_step(self, step):
        for name in self.base_trial.tensor_names(step=step, regex=self.name):
            now = self.base_trial.tensor(name).value(step).ravel()
            first = self.first.setdefault(name, now)
            cosine = first.dot(now) / ((first.dot(first) * now.dot(now)) ** 0.5 + 1e-12)
            if cosine < self.least:
                self.finding("%s has turned away from where it began." % name, subject=name, observed=cosine, threshold=self.least, comparator="<")


class GradientsOfOneSize(Rule):
    """As it would stand in a file for smdebug: the norms of all gradients lie within a factor."""

    def __init__(self, base_trial, factor="1000"):
        super().__init__(base_trial, other_trials=None)
        self.factor = float(factor)

    def set_required_tensors(self, step):
        for name in self.base_trial.tensor_names(collection="gradients"):
            self.req_tensors.add(name, steps=[step])

    def invoke_at_step(self, step):
        norms = [tensor.reduction_value(step, "l2") for tensor in self.req_tensors.get()]
        if not norms or min(norms) == 0 or max(norms) < self.factor * min(norms):
            return False
        self.logger.info("the norms lie between %g and %g", min(norms), max(norms))
        return True
