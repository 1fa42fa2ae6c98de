"""What reading a run raises. Scripts for smdebug find it under the names that its exceptions have.

The arguments of each are its attributes; its text says which tensor, step and
mode it is about. A rule that lets one of those about missing data pass is
passed over for that step.
"""


class VigilError(Exception):
    """The base of all."""


class CallerError(VigilError):
    """A mistake of the caller."""


class InvalidType(VigilError, TypeError):
    """A value of a type that cannot be."""


class NotPossible(VigilError, RuntimeError):
    """Something that cannot be done now."""


class NotSupported(VigilError, NotImplementedError):
    """Something that is not there."""


class InvalidValue(VigilError, ValueError):
    """A value that cannot be."""


class InvalidCollectionConfiguration(VigilError):
    """A collection that holds nothing."""

    def __init__(self, c_name):
        self.c_name = c_name
        VigilError.__init__(self, c_name)

    def __str__(self):
        return "the collection %r has neither patterns nor names" % self.c_name


class MissingCollectionFiles(VigilError):
    """A run that does not say what its collections are."""

    def __str__(self):
        return "the run has no collections"


class IndexReaderException(VigilError):
    """A run that cannot be read."""

    def __init__(self, message):
        self.message = message
        VigilError.__init__(self, message)

    def __str__(self):
        return str(self.message)


class _OfStep(VigilError):
    TEXT = ""

    def __init__(self, step, mode):
        self.step = step
        self.mode = mode
        VigilError.__init__(self, step, mode)

    def __str__(self):
        return self.TEXT % (_name(self.mode), self.step)


class StepUnavailable(_OfStep):
    """A step that was passed without being captured."""

    TEXT = "%s step %s was not captured"


class StepNotYetAvailable(_OfStep):
    """A step that is still to come."""

    TEXT = "%s step %s has not come yet"


class NoMoreData(VigilError):
    """A step behind the end of the job."""

    def __init__(self, step, mode, last_step):
        self.step = step
        self.mode = mode
        self.last_step = last_step
        VigilError.__init__(self, step, mode, last_step)

    def __str__(self):
        return "there is no %s step %s: the job has ended, its last step is %s" % (_name(self.mode), self.step, self.last_step)


class NoMoreProfilerData(VigilError):
    """A time behind the end of the job."""

    def __init__(self, timestamp):
        self.timestamp = timestamp
        VigilError.__init__(self, timestamp)

    def __str__(self):
        return "there is nothing at %s: the job has ended before" % self.timestamp


class TensorUnavailable(VigilError):
    """A name of which nothing was captured so far."""

    def __init__(self, tname, near=None):
        self.tname = tname
        self.near = near  # a name that holds it
        VigilError.__init__(self, tname)

    def __str__(self):
        text = "nothing was captured of a tensor %r so far" % self.tname
        return text + "; did you mean %r?" % self.near if self.near else text


class TensorUnavailableForStep(VigilError):
    """A tensor of which there is nothing, or no values, at a step."""

    def __init__(self, tname, step, mode=None, has_reductions=False):
        self.tname = tname
        self.step = step
        self.mode = mode
        self.has_reductions = has_reductions
        VigilError.__init__(self, tname, step, mode, has_reductions)

    def __str__(self):
        text = "nothing was captured of the tensor %r at %s step %s" % (self.tname, _name(self.mode), self.step)
        if self.has_reductions:
            text = "the values of the tensor %r were not stored at %s step %s, only their statistics" % (self.tname, _name(self.mode), self.step)
            text += ": read them with reduction_value(), or have the values stored (raw: of the rule, or a collection with raw)"
        return text


class ShapeUnavailableForStep(VigilError):
    """A tensor whose shape at a step is not known."""

    def __init__(self, tname, step, mode=None):
        self.tname = tname
        self.step = step
        self.mode = mode
        VigilError.__init__(self, tname, step, mode)

    def __str__(self):
        return "the shape of the tensor %r at %s step %s is unknown" % (self.tname, _name(self.mode), self.step)


class InvalidWorker(VigilError):
    """A worker that captured nothing of the tensor."""

    def __init__(self, worker):
        self.worker = worker
        VigilError.__init__(self, worker)

    def __str__(self):
        return "there is nothing of a worker %r" % self.worker


class RuleEvaluationConditionMet(VigilError):
    """A rule that has fired; with ``end_of_rule`` it has nothing more to judge."""

    def __init__(self, rule_name, step, end_of_rule=False):
        self.rule_name = rule_name
        self.step = step
        self.end_of_rule = end_of_rule
        VigilError.__init__(self, rule_name, step, end_of_rule)

    def __str__(self):
        return "Evaluation of the rule %s at step %s resulted in the condition being met" % (self.rule_name, self.step)


class InsufficientInformationForRuleInvocation(VigilError):
    """A rule that cannot judge this step."""

    def __init__(self, rule_name, message):
        self.rule_name = rule_name
        self.message = message
        VigilError.__init__(self, rule_name, message)

    def __str__(self):
        return "the rule %s cannot judge: %s" % (self.rule_name, self.message)


def _name(mode):
    return getattr(mode, "name", mode) or "global"


# The names of smdebug.
SMDebugError = VigilError
SMDebugCustomerError = CallerError
SMDebugTypeError = InvalidType
SMDebugRuntimeError = NotPossible
SMDebugNotImplementedError = NotSupported
SMDebugValueError = InvalidValue
