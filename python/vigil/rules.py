"""Rules written in Python: ``from vigil.rules import Rule``.

    class LossAbove(Rule):
        def __init__(self, base_trial, limit=10.0):
            super().__init__(base_trial)
            self.limit = float(limit)

        def invoke_at_step(self, step):
            return self.base_trial.tensor("loss").value(step) > self.limit

The interface is that of smdebug's rules: a rule of theirs runs when its import
reads as above. Vigil runs it in a process of its own, live and in ``vigil
check``; ``invoke_rule`` runs it here, on a trial of ``create_trial``.
"""

import logging
import math
import os

from vigil.exceptions import (
    InvalidValue,
    NoMoreData,
    NoMoreProfilerData,
    RuleEvaluationConditionMet,
    StepUnavailable,
    TensorUnavailable,
    TensorUnavailableForStep,
)
from vigil.torch import modes
from vigil.trial import no_refresh

__all__ = ["Finding", "RequiredTensors", "Rule", "invoke_rule", "modes"]

SEVERITIES = ("error", "warning", "info")
CAUSES = (
    "activation", "output-activation", "loss", "learning-rate", "optimizer", "zero-grad", "initialisation", "data-scaling",
    "data-loading", "labels", "imbalance", "structure", "not-updated", "eval-mode", "regularisation", "non-finite", "overfit",
    "epochs", "ranks", "hardware", "unknown",
)  # fmt: skip

MOST_FINDINGS = 1000  # at one step
MOST_TEXT = 2000  # characters


class Rule(object):
    """A rule: subclasses say in ``invoke_at_step(step)`` whether it fires at a global step.

    They may also define ``set_required_tensors(step)``, which adds to
    ``self.req_tensors`` what has to be there for the rule to be asked, and
    ``finish()``, which is called once at the end.

    base_trial: the Trial that is judged. other_trials: those to compare with.
    action_str has no meaning here: actions stand in vigil.yaml.
    """

    _folder = None  # where Vigil runs the rule

    def __init__(self, base_trial, action_str="", other_trials=None):
        if isinstance(action_str, (list, tuple)) and other_trials is None:
            other_trials, action_str = action_str, ""  # Rule(base_trial, other_trials), as smdebug's examples write it
        self.base_trial = base_trial
        self.other_trials = list(other_trials or ())
        self.trials = [base_trial] + self.other_trials
        self.req_tensors = RequiredTensors(base_trial, self.other_trials)
        self.rule_name = type(self).__name__
        self.logger = logging.getLogger("vigil." + self.rule_name)
        self.report = {"RuleTriggered": 0, "Violations": 0, "Details": {}, "Datapoints": 0, "RuleParameters": ""}
        self._findings = []
        self._notes = []

    @property
    def folder(self):
        """Path of a folder of this rule's own in the run, for files that it writes; made when it is first asked for. ``vigil show`` lists them.

        None where the rule is not run by Vigil (``invoke_rule``) or the run cannot be written.
        """
        if self._folder is None:
            return None
        try:
            os.makedirs(self._folder, exist_ok=True)
        except OSError:
            return None
        return self._folder

    def set_required_tensors(self, step):
        """Add to self.req_tensors what the rule needs at the step."""

    def invoke_at_step(self, step):
        """Whether the rule fires at the global step."""
        raise NotImplementedError("%s has no invoke_at_step(self, step)" % self.rule_name)

    def finding(self, message="", subject="", observed=None, threshold=None, comparator="", check="", severity=None, worker="",
                cause_class=None, cause=None, remedy=None, context=None):  # fmt: skip
        """Record a finding at this step, with its evidence. What it says of the rest is taken from the configuration.

        message: one sentence. subject: the tensor, or whatever it is about.
        observed, threshold, comparator: the numbers and how they stand to each
        other. severity: error, warning or info. context: a dict of more
        numbers and texts. Several may be recorded at one step.
        """
        if len(self._findings) >= MOST_FINDINGS:
            raise InvalidValue("record finding: there are %d at this step already" % MOST_FINDINGS)
        self._findings.append(
            Finding(message, subject, observed, threshold, comparator, check, severity, worker, cause_class, cause, remedy, context)
        )

    def note(self, text):
        """Add a line to the details of the rule's status; each line is kept once."""
        if len(self._notes) < 20:
            self._notes.append(str(text)[:MOST_TEXT])

    def invoke(self, step):
        """Judge one step: RuleEvaluationConditionMet when the rule fires."""
        self.base_trial.wait_for_steps([step])
        with no_refresh(self.trials):
            fired = judge(self, step)
        if fired:
            raise RuleEvaluationConditionMet(self.rule_name, step)


class Finding(object):
    """What a rule has found; refused with a InvalidValue when it cannot be one."""

    def __init__(self, message="", subject="", observed=None, threshold=None, comparator="", check="", severity=None, worker="",
                 cause_class=None, cause=None, remedy=None, context=None):  # fmt: skip
        self.fields = {}
        texts = dict(message=message, subject=subject, comparator=comparator, check=check, worker=worker, cause=cause, remedy=remedy)
        for name, value in texts.items():
            if value is None or value == "":
                continue
            if not isinstance(value, str):
                raise InvalidValue("record finding: %s is a text, not %r" % (name, value))
            self.fields[name] = value[:MOST_TEXT]
        for name, value in (("observed", observed), ("threshold", threshold)):
            if value is None:
                continue
            try:
                self.fields[name] = number(value)
            except (TypeError, ValueError):
                raise InvalidValue("record finding: %s is a number, not %.200r" % (name, value)) from None
        self._choice("severity", severity, SEVERITIES)
        self._choice("cause_class", cause_class, CAUSES)
        if context is not None:
            if not isinstance(context, dict):
                raise InvalidValue("record finding: context is a dict, not %.200r" % (context,))
            self.fields["context"] = {str(k)[:200]: plain(v) for k, v in context.items()}

    def _choice(self, name, value, known):
        if value is None:
            return
        if value not in known:
            raise InvalidValue("record finding: unknown %s %r; known are %s" % (name, value, ", ".join(known)))
        self.fields[name] = value


def number(value):
    """As JSON can say it: NaN and infinities as texts."""
    value = float(value)
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return "Inf" if value > 0 else "-Inf"
    return value


def plain(value, depth=4):
    """A value as JSON can say it; of what it cannot, the text."""
    if value is None or isinstance(value, (bool, str)):
        return value[:MOST_TEXT] if isinstance(value, str) else value
    if isinstance(value, int):
        return value if abs(value) < 1 << 53 else str(value)[:MOST_TEXT]
    if depth > 0 and isinstance(value, dict):
        return {str(k)[:200]: plain(v, depth - 1) for k, v in list(value.items())[:100]}
    if depth > 0 and isinstance(value, (list, tuple, set)):
        return [plain(v, depth - 1) for v in list(value)[:100]]
    try:
        return number(value)
    except Exception:
        return str(value)[:MOST_TEXT]


def judge(rule, step):
    """Whether a rule fires at a step, once what it requires is there."""
    del rule._findings[:]
    rule.req_tensors.clear()
    rule.set_required_tensors(step)
    rule.req_tensors.fetch()
    fired = bool(rule.invoke_at_step(step))
    if fired or rule._findings:
        rule.report["RuleTriggered"] += 1
        rule.report["Violations"] += max(1, len(rule._findings))
    return fired or bool(rule._findings)


class RequiredTensors(object):
    """What has to be there before a rule is asked."""

    def __init__(self, base_trial, other_trials=None):
        self.base_trial = base_trial
        self.other_trials = list(other_trials or ())
        self._wanted = {}  # trial -> {name: [steps]}

    def add(self, name, steps, trial=None, should_match_regex=False):
        """Require a tensor, or all whose names a pattern is found in, at global steps. TensorUnavailable for a name that is not known."""
        trial = self.base_trial if trial is None else trial
        steps = list(steps) if isinstance(steps, (list, tuple, set, range)) else [steps]
        if should_match_regex:
            names = trial.tensor_names(regex=name)
        else:
            if not trial.has_tensor(name):
                raise TensorUnavailable(name)
            names = [name]
        for n in names:
            held = self._wanted.setdefault(trial, {}).setdefault(n, [])
            held.extend(s for s in steps if s not in held)

    def get(self, trial=None):
        """The required tensors of a trial."""
        trial = self.base_trial if trial is None else trial
        return [trial.tensor(n) for n in self._wanted.get(trial, {})]

    def get_names(self, trial=None):
        """Their names."""
        return set(self._wanted.get(self.base_trial if trial is None else trial, {}))

    def get_tensor_steps(self, name, trial=None):
        """The steps at which one is required; None when it is not."""
        return self._wanted.get(self.base_trial if trial is None else trial, {}).get(name)

    def clear(self):
        self._wanted.clear()

    def fetch(self):
        """See to it that all are there: StepUnavailable, StepNotYetAvailable or TensorUnavailableForStep otherwise."""
        for trial, names in self._wanted.items():
            for name, steps in names.items():
                for step in steps:
                    trial.tensor(name).workers(step)


def invoke_rule(rule_obj, start_step=0, end_step=None, raise_eval_cond=False):
    """Run a rule over its trial, from one global step up to another (exclusive), or to the end of the job.

    When it fires that is logged and the next step follows, or raised with
    raise_eval_cond. Steps at which something is missing are passed over.
    """
    step = start_step if start_step is not None else 0
    while end_step is None or step < end_step:
        try:
            rule_obj.invoke(step)
        except (TensorUnavailableForStep, StepUnavailable, TensorUnavailable) as missing:
            rule_obj.logger.debug("skipped step %s: %s", step, missing)
        except RuleEvaluationConditionMet as met:
            if raise_eval_cond:
                raise
            rule_obj.logger.info("%s", met)
            if met.end_of_rule:
                return
        except NoMoreData:
            if end_step is None:
                return
            raise
        except NoMoreProfilerData:
            return
        step += 1
