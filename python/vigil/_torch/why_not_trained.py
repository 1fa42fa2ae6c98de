"""What was seen in a process that imported PyTorch and was not seen to train."""

from vigil import _why_not_trained
from vigil._torch import names


def watch(tracker):
    """Say it at the end of this process."""
    _why_not_trained.watch(lambda: tracker.session is not None or tracker.refused or tracker.closed, lambda: reason(tracker))


def reason(tracker):
    """One sentence for a person. It says what was seen and what was not: some trainings cannot be seen, and of what was seen some is gone by now."""
    optimisers = tracker.registry.optimisers()
    if tracker.backward_seen:
        if optimisers:
            return "backward() ran, but no step of %s was seen (is optimizer.step() called?)" % type(optimisers[0]).__name__
        return "backward() ran, but no update of the weights was seen (is there an optimiser, and is its step() called?)"
    models = [m for m in (r() for r in tracker.discovery.candidates.values()) if m is not None]
    if models:
        return "a model (%s) was run, but no backward() and no update of its weights was seen" % _class(models[0])
    if optimisers:
        return "%s was made, but no step of it was seen (does the training loop run?)" % type(optimisers[0]).__name__
    models = tracker.registry.modules()
    if models and not any(True for m in models for _ in m.parameters()):
        return "no training was seen, and %s, which was, has no parameters" % _class(models[0])
    return "PyTorch was imported, but no training was seen"


def _class(model):
    return names.class_name(names.unwrap(model))
