"""Why a process that imported PyTorch did not train."""

from vigil import _why_not_trained
from vigil._torch import names


def watch(tracker):
    """Say at the end of this process why it did not train, if it did not."""
    _why_not_trained.watch(lambda: tracker.session is not None or tracker.refused or tracker.closed, lambda: reason(tracker))


def reason(tracker):
    """One sentence for a person."""
    optimisers = tracker.registry.optimisers()
    if tracker.backward_seen:
        if optimisers:
            return "backward() ran, but %s never stepped: no weight was updated (is optimizer.step() called?)" % type(optimisers[0]).__name__
        return "backward() ran, but nothing updated the weights: there is no optimiser"
    models = [m for m in (r() for r in tracker.discovery.candidates.values()) if m is not None]
    if models:
        return "a model (%s) was run, but backward() was never called: nothing was trained" % _class(models[0])
    if optimisers:
        return "%s was made, but no step was ever taken: the training loop did not run" % type(optimisers[0]).__name__
    models = tracker.registry.modules()
    if models and not any(True for m in models for _ in m.parameters()):
        return "no model has parameters (%s), so there is nothing to train" % _class(models[0])
    return "PyTorch was imported, but no model was trained"


def _class(model):
    return names.class_name(names.unwrap(model))
