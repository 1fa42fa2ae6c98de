"""The learning rates that the updates of a step are made with, as series of the run."""

from vigil._torch.settings import plain

MOST = 32  # groups of parameters of one optimiser


def note(step, state, optimiser):
    """An optimiser is about to step: the rate of its first group, and of those that had another one."""
    rates = [plain(group.get("lr")) for group in optimiser.param_groups[:MOST]]
    name = "training/learning_rate" + ("" if state.index == 0 else "/%d" % state.index)
    state.apart.update(i for i, rate in enumerate(rates) if rate != rates[0])
    step.rates = step.rates or {}
    step.rates.update((name + ("/group%d" % i if i else ""), rate) for i, rate in enumerate(rates) if rate is not None and (i == 0 or i in state.apart))
