"""Small trainings on what is frozen or averaged: the body that was trained before, its normalisation, and how it stands; what thaws; averages of weights."""

import copy

import torch
import torch.nn.functional as F
from small_registry import data, net, train
from torch import nn

FROZEN = {}


def case(fn):
    FROZEN[fn.__name__] = fn
    return fn


def shifted(n=32):
    """Other data: it lies elsewhere, and closer together."""
    return [(0.3 * x + 2, y) for x, y in data(n)]


def trained(**options):
    """A body that was trained with a head of its own."""
    body = net(nn.Linear(6, 8), nn.BatchNorm1d(8, **options), nn.ReLU())
    train(net(body, nn.Linear(8, 3)), F.cross_entropy, list(data()) * 4)
    return body.requires_grad_(False)


def loaded(**options):
    """A new body with the weights of such a one."""
    body = net(nn.Linear(6, 8), nn.BatchNorm1d(8, **options), nn.ReLU())
    body.load_state_dict(trained(**options).state_dict())
    return body.requires_grad_(False)


@case
def frozen_body_averages():
    train(net(loaded(), nn.Linear(8, 3)), F.cross_entropy, shifted())


@case
def frozen_body_averages_in_an_optimiser():
    """The optimiser has what is frozen, too, and the normalisation has no parameters."""
    model = net(loaded(affine=False), nn.Linear(8, 3))
    train(model, F.cross_entropy, shifted(), torch.optim.Adam(model.parameters()))


@case
def frozen_body_averages_beside_its_head():
    """Images, a model with parts by name, and train() before every epoch."""

    class Model(nn.Module):
        def __init__(self, body):
            super().__init__()
            self.body, self.head = body, nn.Linear(4, 3)

        def forward(self, x):
            return self.head(self.body(x[:, :4].reshape(-1, 1, 2, 2)).mean((2, 3)))

    body = nn.Sequential(nn.Conv2d(1, 4, 3, padding=1), nn.BatchNorm2d(4), nn.ReLU())
    train(Model(body), F.cross_entropy, list(data()) * 5)
    model = Model(body.requires_grad_(False))
    optimiser = torch.optim.SGD(model.head.parameters(), lr=0.1)
    for _ in range(3):
        train(model.train(), F.cross_entropy, shifted()[:4], optimiser)


@case
def frozen_body_in_eval():
    model = net(loaded(), nn.Linear(8, 3))
    model[0].eval()
    train(model, F.cross_entropy, shifted())


@case
def frozen_body_in_eval_by_itself():
    """Body and head are called one after the other: each is a model. The body was trained so before."""
    body = net(nn.Linear(6, 8), nn.BatchNorm1d(8), nn.ReLU())
    for batches in (list(data()) * 5, shifted()):
        head = nn.Linear(8, 3)
        optimiser = torch.optim.SGD([p for p in nn.ModuleList([body, head]).parameters() if p.requires_grad], lr=0.1)
        for x, y in batches:
            optimiser.zero_grad()
            F.cross_entropy(head(body(x)), y).backward()
            optimiser.step()
        body.requires_grad_(False).eval()


@case
def momentum_encoder_averages():
    """A copy follows the encoder, its normalisation by the batches it gets."""
    online = net(nn.Linear(6, 8), nn.BatchNorm1d(8), nn.ReLU(), nn.Linear(8, 4))
    model = nn.ModuleDict({"online": online, "target": copy.deepcopy(online).requires_grad_(False)})
    optimiser = torch.optim.SGD(online.parameters(), lr=0.1)
    for x, _ in shifted():
        optimiser.zero_grad()
        F.mse_loss(model["online"](x), model["target"](x + 0.1)).backward()
        optimiser.step()
        with torch.no_grad():
            for p, q in zip(model["target"].parameters(), online.parameters()):
                p.mul_(0.9).add_(q, alpha=0.1)


@case
def frozen_at_random():
    """Nothing trained this body: its statistics begin with nothing."""
    model = net(net(nn.Linear(6, 8), nn.BatchNorm1d(8), nn.ReLU()), nn.Linear(8, 3))
    model[0].requires_grad_(False)
    train(model, F.cross_entropy, shifted())


def thawing(model, make, thaw):
    """A training whose head alone is trained at first. thaw: called with the optimiser after a third of it, may give another."""
    model[0].requires_grad_(False)
    optimiser = make(model)
    for n, (x, y) in enumerate(list(data()) * 5):
        if n == 20:
            optimiser = thaw(model, optimiser) or optimiser
        optimiser.zero_grad()
        F.cross_entropy(model(x), y).backward()
        optimiser.step()


def trainable(model):
    return torch.optim.Adam([p for p in model.parameters() if p.requires_grad])


def two_layers():
    return net(net(nn.Linear(6, 8), nn.ReLU()), nn.Linear(8, 3))


@case
def thawed_and_in_no_optimiser():
    thawing(two_layers(), trainable, lambda model, optimiser: model[0].requires_grad_(True) and None)


@case
def thawed_after_another_training():
    """The body was trained with another head before, by an optimiser that lives on."""
    whole = two_layers()
    before = torch.optim.Adam(whole.parameters())
    for x, y in data():
        before.zero_grad()
        F.cross_entropy(whole(x), y).backward()
        before.step()
    thawing(net(whole[0], nn.Linear(8, 3)), trainable, lambda model, optimiser: model[0].requires_grad_(True) and None)
    assert len(before.param_groups) == 1


@case
def thawed_layer_by_layer():
    """Gradients are cleared by the model; the lower of two layers never thaws."""

    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.table, self.body, self.head = nn.Linear(6, 8), nn.GRU(8, 8, batch_first=True), nn.Linear(8, 3)

        def forward(self, x):
            return self.head(self.body(self.table(x)[:, None])[0][:, -1])

    model = Model()
    model.table.requires_grad_(False)
    model.body.requires_grad_(False)
    optimiser = torch.optim.SGD(model.head.parameters(), lr=0.1, momentum=0.9)
    for epoch in range(5):
        if epoch == 2:
            for p in model.body.parameters():
                p.requires_grad = True
        for x, y in data():
            model.zero_grad()
            F.cross_entropy(model(x), y).backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimiser.step()


@case
def thawed_and_added():
    thawing(two_layers(), trainable, lambda model, optimiser: optimiser.add_param_group({"params": list(model[0].requires_grad_(True).parameters())}))


@case
def thawed_with_a_new_optimiser():
    thawing(two_layers(), trainable, lambda model, optimiser: trainable(model.requires_grad_(True)))


@case
def thawed_and_held_from_the_start():
    thawing(two_layers(), lambda model: torch.optim.Adam(model.parameters()), lambda model, optimiser: model[0].requires_grad_(True) and None)


@case
def thawed_and_updated_by_the_script():
    """The script moves the body itself, next to the optimiser of the head."""
    model = two_layers()
    model[0].requires_grad_(False)
    optimiser = trainable(model)
    for n, (x, y) in enumerate(list(data()) * 5):
        model[0].requires_grad_(n >= 20)
        optimiser.zero_grad()
        F.cross_entropy(model(x), y).backward()
        optimiser.step()
        with torch.no_grad():
            for p in model[0].parameters():
                if p.grad is not None:
                    p -= 0.1 * p.grad
                    p.grad = None


def averaging(update, use, model=None):
    """A training with an average of the weights next to it. use: called with it now and then, or at the end."""
    model = model or net()
    average = torch.optim.swa_utils.AveragedModel(model)
    optimiser = torch.optim.Adam(model.parameters())
    for n, (x, y) in enumerate(list(data()) * 3):
        optimiser.zero_grad()
        F.cross_entropy(model(x), y).backward()
        optimiser.step()
        if update(n):
            average.update_parameters(model)
        if n in use:
            with torch.no_grad():
                average(x)


@case
def average_used_at_the_end_and_never_updated():
    averaging(lambda n: False, (35,))


@case
def average_evaluated_in_training_and_never_updated():
    averaging(lambda n: False, range(11, 36, 12), net(nn.Linear(6, 8), nn.BatchNorm1d(8), nn.ReLU(), nn.Linear(8, 3)))


@case
def average_of_a_part_never_updated():
    """The average is of what is inside a model, and used by itself."""

    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.body, self.head = net(nn.Linear(6, 8), nn.ReLU()), nn.Linear(8, 3)

        def forward(self, x):
            return self.head(self.body(x))

    model = Model()
    teacher = torch.optim.swa_utils.AveragedModel(model.body, avg_fn=lambda a, b, n: 0.99 * a + 0.01 * b)
    for _ in range(3):
        train(model, F.cross_entropy)
        teacher.eval()
        for x, _ in list(data())[:2]:
            teacher(x)


@case
def average_updated():
    averaging(lambda n: True, (35,))


@case
def average_updated_from_the_middle_on():
    averaging(lambda n: n > 20, (11, 35))


@case
def average_never_used():
    averaging(lambda n: False, ())


if __name__ == "__main__":
    from small_trainings import main

    main(FROZEN)
