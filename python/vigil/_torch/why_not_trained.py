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
            return "backward() was called, but %s made no step (is optimizer.step() called?)" % type(optimisers[0]).__name__
        return "backward() was called, but the weights were not updated (is there an optimiser, and is its step() called?)"
    models = [m for m in (r() for r in tracker.discovery.candidates.values()) if m is not None]
    if models:
        return "a model (%s) was run, but neither backward() nor an update of its weights was seen; a training by torch.func is not seen" % _class(models[0])
    if optimisers:
        return "%s was created, but it made no step (does the training loop run?)" % type(optimisers[0]).__name__
    models = tracker.registry.modules()
    if models and not any(True for m in models for _ in m.parameters()):
        return "nothing was trained, and the model that was run, %s, has no parameters" % _class(models[0])
    return "PyTorch was imported, but nothing was trained"


def _class(model):
    return names.class_name(names.unwrap(model))
