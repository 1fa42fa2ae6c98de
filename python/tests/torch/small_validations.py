"""Small trainings that validate with functions of torch.nn.functional, each in a style that public scripts have.

The first argument names the style. "taken" as the second: other tools have
Python's numbers for tools before Vigil asks for one. Each pass prints the loss
that the script itself computes; scripts differ in what they sum and divide by.
"""

import sys

import torch
import torch.nn.functional as F
from torch import nn
from torch.nn.functional import cross_entropy

torch.manual_seed(0)
torch.set_num_threads(1)
if "taken" in sys.argv and hasattr(sys, "monitoring"):
    for number in range(6):
        sys.monitoring.use_tool_id(number, "other")

FUNCTIONS = {name: (f, getattr(f, "__code__", None)) for name, f in vars(F).items() if callable(f)}
PASSES, UPDATES, BATCHES, ROWS = 3, 12, 3, 8
INPUT, LABELS = torch.randn(UPDATES + BATCHES, ROWS, 6), torch.randint(5, (UPDATES + BATCHES, ROWS))
VALUES = torch.randn(UPDATES + BATCHES, ROWS, 5)
BINARY = torch.randint(2, (UPDATES + BATCHES, ROWS, 5)).float()
SHARES = torch.softmax(VALUES, -1)
SOME = LABELS.clone()
SOME[:, ::3] = -1  # labels that do not count
WEIGHTS = torch.tensor([0.5, 1.0, 2.0, 0.3, 1.5])
STYLES = {}


def style(f):
    STYLES[f.__name__] = f
    return f


def net(*last):
    return nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Dropout(0.1), nn.Linear(16, 5), *last)


def train(model, loss):
    """One epoch; loss(model, i) of batch i."""
    global last
    last = model, loss
    optimizer = made.setdefault(id(model), torch.optim.SGD(model.parameters(), lr=0.1))
    model.train()
    for i in range(UPDATES):
        optimizer.zero_grad()
        loss(model, i).backward()
        assert not watched(), "functions are watched while it trains"
        optimizer.step()


def watched():
    tools = [sys.monitoring.get_tool(n) for n in range(6)] if hasattr(sys, "monitoring") else []
    return "vigil" in tools or any(getattr(f, "__code__", None) is not code for f, code in FUNCTIONS.values())


made, last = {}, None
VALID = range(UPDATES, UPDATES + BATCHES)


def say(*losses):
    for loss in losses:
        print("validation %.9f" % loss)


def usual(loss, *last, context=torch.no_grad):
    """Train by loss(output, i), and validate by the mean of the same over the batches."""
    model = net(*last)
    for _ in range(PASSES):
        train(model, lambda model, i: loss(model(INPUT[i]), i))
        model.eval()
        with context():
            say(sum(loss(model(INPUT[i]), i).item() for i in VALID) / BATCHES)


@style
def mnist_example():
    model = net(nn.LogSoftmax(1))
    for _ in range(PASSES):
        train(model, lambda model, i: F.nll_loss(model(INPUT[i]), LABELS[i]))
        model.eval()
        total = 0
        with torch.no_grad():
            for i in VALID:
                total += F.nll_loss(model(INPUT[i]), LABELS[i], reduction="sum").item()
        say(total / (BATCHES * ROWS))


class Language(nn.Module):
    """As nanoGPT: it returns logits and the loss."""

    def __init__(self):
        super().__init__()
        self.table, self.head = nn.Embedding(5, 8), nn.Linear(8, 5, bias=False)

    def forward(self, tokens, targets=None):
        logits = self.head(self.table(tokens))
        if targets is None:
            return logits, None
        return logits, F.cross_entropy(logits.view(-1, logits.size(-1)), targets.view(-1), ignore_index=-1)


@style
def language_model():
    model = Language()

    @torch.no_grad()
    def estimate_loss():
        model.eval()
        losses = torch.zeros(BATCHES)
        for k, i in enumerate(VALID):
            _, loss = model(LABELS[i], SOME[i])
            losses[k] = loss.item()
        model.train()
        return losses.mean()

    for _ in range(PASSES):
        train(model, lambda model, i: model(LABELS[i], SOME[i])[1])
        say(estimate_loss())


@style
def squares_in_inference_mode():
    usual(lambda out, i: F.mse_loss(out, VALUES[i]), context=torch.inference_mode)


@style
def binary():
    usual(lambda out, i: F.binary_cross_entropy_with_logits(out, BINARY[i]))


@style
def binary_after_sigmoid():
    usual(lambda out, i: F.binary_cross_entropy(out, BINARY[i]), nn.Sigmoid())


@style
def likelihood():
    usual(lambda out, i: F.nll_loss(out, LABELS[i]), nn.LogSoftmax(1))


@style
def taken_out_of_the_module():
    usual(lambda out, i: cross_entropy(out, LABELS[i]))


@style
def losses_of_samples():
    model = net()
    for _ in range(PASSES):
        train(model, lambda model, i: F.cross_entropy(model(INPUT[i]), LABELS[i]))
        model.eval()
        with torch.no_grad():
            losses = [F.cross_entropy(model(INPUT[i]), LABELS[i], reduction="none") for i in VALID]
        say(torch.cat(losses).mean().item())


@style
def smoothed_in_training():
    """Labels are smoothed in training only, and some do not count."""
    model = net()
    for _ in range(PASSES):
        train(model, lambda model, i: F.cross_entropy(model(INPUT[i]), SOME[i], ignore_index=-1, label_smoothing=0.1))
        model.eval()
        with torch.no_grad():
            say(sum(F.cross_entropy(model(INPUT[i]), SOME[i], ignore_index=-1).item() for i in VALID) / BATCHES)


@style
def sums_of_labels_that_count():
    """What is summed are the labels that count, by their weights."""
    model = net()
    for _ in range(PASSES):
        train(model, lambda model, i: F.cross_entropy(model(INPUT[i]), SOME[i], WEIGHTS, ignore_index=-1))
        model.eval()
        with torch.no_grad():
            means = []
            for i in VALID:
                counting = SOME[i][SOME[i] != -1]
                means.append(F.cross_entropy(model(INPUT[i]), SOME[i], WEIGHTS, ignore_index=-1, reduction="sum").item() / WEIGHTS[counting].sum().item())
            say(sum(means) / BATCHES)


@style
def sums_of_smoothed_labels():
    model = net()
    for _ in range(PASSES):
        train(model, lambda model, i: F.cross_entropy(model(INPUT[i]), SOME[i], ignore_index=-1, label_smoothing=0.2))
        model.eval()
        with torch.no_grad():
            say(sum(F.cross_entropy(model(INPUT[i]), SOME[i], None, None, -1, None, "sum", 0.2).item() / (SOME[i] != -1).sum().item() for i in VALID) / BATCHES)


@style
def probabilities():
    model = net()
    for _ in range(PASSES):
        train(model, lambda model, i: F.cross_entropy(model(INPUT[i]), SHARES[i]))
        model.eval()
        with torch.no_grad():
            say(sum(F.cross_entropy(model(INPUT[i]), SHARES[i], reduction="sum").item() / ROWS for i in VALID) / BATCHES)


@style
def absolute():
    usual(lambda out, i: F.l1_loss(out, VALUES[i]))


@style
def smooth_absolute():
    usual(lambda out, i: F.smooth_l1_loss(out, VALUES[i], beta=0.5))


@style
def huber():
    usual(lambda out, i: F.huber_loss(out, VALUES[i]))


@style
def squares_summed():
    model = net()
    for _ in range(PASSES):
        train(model, lambda model, i: F.mse_loss(model(INPUT[i]), VALUES[i]))
        model.eval()
        with torch.no_grad():
            say(sum(F.mse_loss(model(INPUT[i]), VALUES[i], size_average=False).item() for i in VALID) / (BATCHES * ROWS * 5))


@style
def divergence():
    usual(lambda out, i: F.kl_div(out, SHARES[i], reduction="batchmean"), nn.LogSoftmax(1))


@style
def gaussian():
    usual(lambda out, i: F.gaussian_nll_loss(out, VALUES[i], BINARY[i] + 0.5))


@style
def transcribed():
    lengths = torch.full((2,), 4), torch.full((2,), 2)
    usual(lambda out, i: F.ctc_loss(out.view(4, 2, 5), LABELS[i][:4].view(2, 2).clamp(min=1), *lengths, zero_infinity=True), nn.LogSoftmax(1))


@style
def triplets():
    usual(lambda out, i: F.triplet_margin_loss(out[:2], out[2:4], out[4:6], margin=1.0))


@style
def embedded():
    usual(lambda out, i: F.cosine_embedding_loss(out[:4], out[4:], 2 * BINARY[i][:4, 0] - 1))


@style
def with_gradients():
    """Nobody thought of torch.no_grad()."""
    model = net()
    for _ in range(PASSES):
        train(model, lambda model, i: F.cross_entropy(model(INPUT[i]), LABELS[i]))
        model.eval()
        say(sum(F.cross_entropy(model(INPUT[i]), LABELS[i]).item() for i in VALID) / BATCHES)


@style
def beside_a_metric():
    """Another function gives a metric."""
    model = net()
    for _ in range(PASSES):
        train(model, lambda model, i: F.mse_loss(model(INPUT[i]), VALUES[i]))
        model.eval()
        total = 0
        with torch.no_grad():
            for i in VALID:
                out = model(INPUT[i])
                total += F.mse_loss(out, VALUES[i]).item()
                F.l1_loss(out, VALUES[i])
        say(total / BATCHES)


@style
def trained_by_a_module():
    model, loss = net(), nn.CrossEntropyLoss()
    for _ in range(PASSES):
        train(model, lambda model, i: loss(model(INPUT[i]), LABELS[i]))
        model.eval()
        with torch.no_grad():
            say(sum(F.cross_entropy(model(INPUT[i]), LABELS[i]).item() for i in VALID) / BATCHES)


@style
def in_a_mode_of_functions():
    """PyTorch calls each function again, below the mode."""
    with torch.device("cpu"):
        usual(lambda out, i: F.cross_entropy(out, LABELS[i]))


def compiled(model, loss):
    """What torch.compile makes of a model, trained by loss(model, i), and validated by it."""
    model = torch.compile(model, backend="eager")
    for _ in range(PASSES):
        train(model, loss)
        model.eval()
        with torch.no_grad():
            say(sum(loss(model, i).item() for i in VALID) / BATCHES)


@style
def compiled_model():
    compiled(net(), lambda model, i: F.cross_entropy(model(INPUT[i]), LABELS[i]))


@style
def compiled_language_model():
    compiled(Language(), lambda model, i: model(LABELS[i], SOME[i])[1])


# No loss of theirs is a validation loss of what they train, or nothing says how it is made of it.


@style
def module():
    """Its loss is the module's: the function is not seen for itself."""
    loss = nn.CrossEntropyLoss()
    usual(lambda out, i: loss(out, LABELS[i]))


@style
def own_module():
    class FocalLoss(nn.Module):
        def forward(self, out, labels):
            each = F.cross_entropy(out, labels, reduction="none")
            return ((1 - torch.exp(-each)) ** 2 * each).mean() + 0.1 * F.mse_loss(out, torch.zeros_like(out))

    loss = FocalLoss()
    usual(lambda out, i: loss(out, LABELS[i]))


@style
def two_terms():
    usual(lambda out, i: F.mse_loss(out, VALUES[i], reduction="sum") + 0.5 * out.exp().sum())


@style
def places_that_count():
    def loss(out, i):
        counts = (SOME[i] != -1).float()
        return (F.cross_entropy(out, LABELS[i], reduction="none") * counts).sum() / counts.sum()

    usual(loss)


@style
def another_quantity():
    model = net()
    for _ in range(PASSES):
        train(model, lambda model, i: F.mse_loss(model(INPUT[i]), VALUES[i]))
        model.eval()
        with torch.no_grad():
            say(sum(F.l1_loss(model(INPUT[i]), VALUES[i]).item() for i in VALID) / BATCHES)


@style
def attacked():
    """Inputs of training are made worse by a gradient, while the model is in evaluation mode."""
    model = net()

    def worse(model, i):
        model.eval()
        x = INPUT[i].clone().requires_grad_()
        gradient = torch.autograd.grad(F.cross_entropy(model(x), LABELS[i]), x)[0]
        model.train()
        return F.cross_entropy(model((x + 0.1 * gradient.sign()).detach()), LABELS[i])

    for _ in range(PASSES):
        train(model, worse)
        model.eval()


@style
def vectorised():
    """Functions of torch.func, tracing and a mode of dispatch see the functions called, too: no value may be read there."""
    model = net()
    for _ in range(PASSES):
        train(model, lambda model, i: F.cross_entropy(model(INPUT[i]), LABELS[i]))
        model.eval()
        with torch.no_grad():
            out = model(INPUT[UPDATES])
            if hasattr(torch, "func"):
                torch.func.vmap(F.cross_entropy)(out, LABELS[UPDATES])
            torch.jit.trace(F.cross_entropy, (out, LABELS[UPDATES]), check_trace=False)
            try:
                F.cross_entropy(out, LABELS[UPDATES][:2])
            except ValueError:
                pass


@style
def logged():
    """The script gives the loss of its evaluation itself."""
    import vigil

    model = net()
    for _ in range(PASSES):
        train(model, lambda model, i: F.cross_entropy(model(INPUT[i]), LABELS[i]))
        model.eval()
        with torch.no_grad():
            for i in VALID:
                loss = 3 * F.cross_entropy(model(INPUT[i]), LABELS[i]).item()
                vigil.log({"loss": loss})
                print("logged %.9f" % loss)


STYLES[sys.argv[1]]()
train(*last)  # an update ends the last pass
assert all(getattr(F, name) is f and getattr(f, "__code__", None) is code for name, (f, code) in FUNCTIONS.items()), "something was left in torch.nn.functional"
if hasattr(sys, "monitoring"):
    tools = {n: sys.monitoring.get_tool(n) for n in range(6)}
    assert set(tools.values()) == ({"other"} if "taken" in sys.argv else {None}), tools
    for number in (3, 4):
        if tools[number] is None:
            sys.monitoring.use_tool_id(number, "test")
        assert not any(sys.monitoring.get_local_events(number, code) for _, code in FUNCTIONS.values() if code is not None), "events are left"
