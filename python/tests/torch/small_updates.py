"""Small trainings that differ in what becomes of the gradients: optimisers, rounds, trainings after each other."""

import torch
import torch.nn.functional as F
from small_registry import STEPS, case, data, net, train
from torch import nn


@case
def two_groups():
    model = net()
    optimiser = torch.optim.Adam([{"params": model[0].parameters(), "lr": 0.0}, {"params": model[2].parameters()}], lr=0.01)
    for x, y in data():
        optimiser.zero_grad()
        F.cross_entropy(model(x), y).backward()
        optimiser.step()


@case
def frozen_and_not_held():
    model = net()
    model[0].weight.requires_grad_(False)
    train(model, nn.CrossEntropyLoss(), optimiser=torch.optim.Adam(model[2].parameters(), lr=1e-3, weight_decay=0.01))


@case
def other_model_held():
    old = net()
    optimiser = torch.optim.SGD(old.parameters(), lr=0.1)
    train(net(), nn.CrossEntropyLoss(), optimiser=optimiser)
    assert old is not None


@case
def never_zeroed():
    train(net(), nn.CrossEntropyLoss(), zero=False)


@case
def cleared_before_step():
    model = net()
    optimiser = torch.optim.SGD(model.parameters(), lr=0.1)
    for x, y in data():
        F.cross_entropy(model(x), y).backward()
        optimiser.zero_grad()
        optimiser.step()


@case
def no_backward():
    model = net()
    optimiser = torch.optim.SGD(model.parameters(), lr=0.1)
    for i, (x, y) in enumerate(data()):
        loss = F.cross_entropy(model(x), y)
        if i == 0:
            loss.backward()
        optimiser.step()


@case
def gradients_by_function():
    model = net()
    optimiser = torch.optim.SGD(model.parameters(), lr=0.1)
    for x, y in data():
        grads = torch.autograd.grad(F.cross_entropy(model(x), y), list(model.parameters()))
        for p, g in zip(model.parameters(), grads):
            p.grad = g
        optimiser.step()


@case
def accumulated():
    model = net()
    optimiser = torch.optim.SGD(model.parameters(), lr=0.1)
    for i, (x, y) in enumerate(list(data()) * 2):
        (F.cross_entropy(model(x), y) / 2).backward()
        if i % 2:
            optimiser.step()
            optimiser.zero_grad()


@case
def two_losses_of_one_kind():
    model = net()
    optimiser = torch.optim.SGD(model.parameters(), lr=0.1)
    for x, y in data():
        optimiser.zero_grad()
        F.cross_entropy(model(x), y).backward()
        F.cross_entropy(model(-x), y.flip(0)).backward()
        optimiser.step()


@case
def clipped():
    model = net()
    optimiser = torch.optim.AdamW(model.parameters(), lr=1e-3)
    for x, y in data():
        optimiser.zero_grad()
        F.cross_entropy(model(x), y).backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1e-3)
        optimiser.step()


@case
def clipped_by_value():
    model = net()
    optimiser = torch.optim.SGD(model.parameters(), lr=1e-3)
    for x, y in data():
        optimiser.zero_grad()
        F.cross_entropy(model(x), y).backward()
        nn.utils.clip_grad_value_((p for p in model.parameters()), clip_value=1e-4)
        optimiser.step()
    assert max(float(p.grad.abs().max()) for p in model.parameters()) <= 1.001e-4


@case
def gan(zero=True):
    make, judge = net(nn.Linear(2, 8), nn.ReLU(), nn.Linear(8, 6)), net(nn.Linear(6, 8), nn.LeakyReLU(0.2), nn.Linear(8, 1))
    first, second = torch.optim.Adam(judge.parameters(), lr=1e-3), torch.optim.Adam(make.parameters(), lr=1e-3)
    loss = nn.BCEWithLogitsLoss()
    for x, _ in data():
        if zero:
            first.zero_grad()
        fake = make(torch.randn(32, 2))
        (loss(judge(x), torch.ones(32, 1)) + loss(judge(fake.detach()), torch.zeros(32, 1))).backward()
        first.step()
        second.zero_grad()
        loss(judge(fake), torch.ones(32, 1)).backward()
        second.step()


@case
def gan_that_clears_one_of_two():
    gan(zero=False)


@case
def gan_with_several_critic_steps(zero=True, swapped=False):
    """The generator steps once for five updates of the critic."""
    make, judge = net(nn.Linear(2, 8), nn.ReLU(), nn.Linear(8, 6)), net(nn.Linear(6, 8), nn.LeakyReLU(0.2), nn.Linear(8, 1))
    first, second = torch.optim.Adam(judge.parameters(), lr=1e-3), torch.optim.Adam((judge if swapped else make).parameters(), lr=1e-3)
    for x, _ in data():
        for _ in range(5):
            first.zero_grad()
            (judge(make(torch.randn(32, 2)).detach()).mean() - judge(x).mean()).backward()
            first.step()
        if zero:
            second.zero_grad()
        (-judge(make(torch.randn(32, 2))).mean()).backward()
        second.step()


@case
def gan_with_several_critic_steps_that_clears_one_of_two():
    gan_with_several_critic_steps(zero=False)


@case
def gan_whose_second_optimiser_holds_the_critic():
    gan_with_several_critic_steps(swapped=True)


@case
def lbfgs():
    model = net()
    optimiser = torch.optim.LBFGS(model.parameters(), lr=0.1, max_iter=3)
    x, y = torch.randn(32, 6), torch.randint(3, (32,))

    def closure():
        optimiser.zero_grad()
        loss = F.cross_entropy(model(x), y)
        loss.backward()
        return loss

    for _ in range(STEPS):
        optimiser.step(closure)


@case
def by_hand():
    model = net()
    for x, y in data():
        F.cross_entropy(model(x), y).backward()
        with torch.no_grad():
            for p in model.parameters():
                p -= 0.1 * p.grad
                p.grad = None


@case
def by_hand_never_zeroed():
    model = net()
    for x, y in data():
        F.cross_entropy(model(x), y).backward()
        with torch.no_grad():
            for p in model.parameters():
                p -= 0.1 * p.grad


@case
def by_hand_after_two_backwards():
    weights = [torch.rand(7, 6).requires_grad_(), torch.rand(3, 7).requires_grad_()]
    for i, (x, y) in enumerate(list(data()) * 2):
        F.cross_entropy(F.linear(F.linear(x, weights[0]).relu(), weights[1]), y).backward()
        if i % 2:
            with torch.no_grad():
                for w in weights:
                    w -= 0.1 * w.grad
                    w.grad.zero_()


@case
def plain_tensors_of_an_optimiser():
    weights = [torch.rand(7, 6).requires_grad_(), torch.rand(3, 7).requires_grad_()]
    optimiser = torch.optim.SGD(weights, lr=0.1)
    for x, y in data():
        optimiser.zero_grad()
        F.cross_entropy(F.linear(F.linear(x, weights[0]).relu(), weights[1]).softmax(1), y).backward()
        optimiser.step()


@case
def plain_tensors_left_out():
    weights = {"first": torch.rand(7, 6).requires_grad_(), "last": torch.rand(3, 7).requires_grad_()}
    optimiser = torch.optim.SGD([weights["last"]], lr=0.1)
    for x, y in data():
        optimiser.zero_grad()
        F.cross_entropy(F.linear(F.linear(x, weights["first"]).relu(), weights["last"]), y).backward()
        optimiser.step()


@case
def short():
    train(net(), nn.CrossEntropyLoss(), list(data())[:3])


@case
def folds():
    """Three trainings one after the other, the last of an encoder and a decoder; and one more by an optimiser for weights that were trained before."""
    for _ in range(2):
        model = train(net(), nn.CrossEntropyLoss())
    parts = [net(nn.Linear(6, 4)), net(nn.Linear(4, 3))]
    optimisers = [torch.optim.SGD(p.parameters(), lr=0.1) for p in parts]
    for x, y in data():
        for o in optimisers:
            o.zero_grad()
        F.cross_entropy(parts[1](parts[0](x)), y).backward()
        for o in optimisers:
            o.step()
    train(model, nn.CrossEntropyLoss())


@case
def head_on_what_was_trained():
    """An encoder that an autoencoder's training made, and a head on it; gradients go through the encoder, but nobody steps on them."""
    encoder = net(nn.Linear(6, 4))
    before = torch.optim.SGD(encoder.parameters(), lr=0.1)
    for x, _ in data():
        before.zero_grad()
        encoder(x).pow(2).mean().backward()
        before.step()
    head = nn.Linear(4, 3)
    after = torch.optim.SGD(head.parameters(), lr=0.1)
    for x, y in data():
        after.zero_grad()
        F.cross_entropy(head(encoder(x)), y).backward()
        after.step()


@case
def begun_anew_in_the_same_weights():
    model = net()
    for _ in range(2):
        for layer in (model[0], model[2]):
            layer.reset_parameters()
        train(model, nn.CrossEntropyLoss(), [next(data()) for _ in range(60)])


@case
def head_and_then_the_rest():
    """Fine-tuning in two phases, each with an optimiser for parts of one model that the other does not hold."""
    model = net()
    for part in (model[2], model[0]):
        optimiser = torch.optim.SGD(part.parameters(), lr=0.1)
        for x, y in [next(data()) for _ in range(60)]:
            model.zero_grad()
            F.cross_entropy(model(x), y).backward()
            optimiser.step()


@case
def half_of_a_gan_ahead():
    """The discriminator is trained for a while before both take turns."""
    makes, judges = net(nn.Linear(6, 6)), net(nn.Linear(6, 1))
    optimisers = [torch.optim.SGD(one.parameters(), lr=0.01) for one in (judges, makes)]
    for i in range(90):
        x, _ = next(data())
        optimisers[0].zero_grad()
        (judges(makes(x).detach()).mean() - judges(x).mean()).backward()
        optimisers[0].step()
        if i >= 60:
            optimisers[1].zero_grad()
            (-judges(makes(x)).mean()).backward()
            optimisers[1].step()


def replaced(zero=None, steps=70):
    """The model is loaded again after ten updates. zero: (optimiser, model) before each backward."""
    model = net()
    optimiser = torch.optim.Adam(model.parameters())
    x, y = next(iter(data()))
    for i in range(steps):
        if i == 10:
            state, model = model.state_dict(), net()
            model.load_state_dict(state)
        zero(optimiser, model) if zero else optimiser.zero_grad(set_to_none=True)  # PyTorch 1.13 leaves zeros unless told
        F.cross_entropy(model(x), y).backward()
        optimiser.step()


@case
def model_replaced():
    replaced()


@case
def optimiser_of_the_copy():
    """The copy gives the targets and is held; what is trained is not."""
    online, target = net(), net()
    optimiser = torch.optim.Adam(target.parameters())
    x, y = next(iter(data()))
    for _ in range(40):
        with torch.no_grad():
            target(x)
        optimiser.zero_grad()
        F.cross_entropy(online(x), y).backward()
        optimiser.step()


@case
def next_tokens_in_two_parts():
    """Gradients of two parts of a batch are gathered; each foretells the next token."""
    model = nn.Sequential(nn.Embedding(11, 6), nn.Linear(6, 11))
    optimiser = torch.optim.SGD(model.parameters(), lr=0.1)
    generator = torch.Generator().manual_seed(0)
    for _ in range(14):
        optimiser.zero_grad()
        for _ in range(2):
            tokens = torch.randint(0, 11, (4, 13), generator=generator)
            F.cross_entropy(model(tokens[:, :-1]).flatten(0, 1), tokens[:, 1:].flatten()).backward()
        optimiser.step()


@case
def model_replaced_that_is_zeroed():
    replaced(lambda optimiser, model: model.zero_grad())


@case
def model_replaced_with_zeros_left():
    replaced(lambda optimiser, model: optimiser.zero_grad(set_to_none=False))


@case
def loss_that_comes_now_and_then():
    """No gradient comes to the second model at most updates."""
    one, two = net(), net()
    optimisers = [torch.optim.Adam(m.parameters()) for m in (one, two)]
    x, y = next(iter(data()))
    for i in range(90):
        for optimiser in optimisers:
            optimiser.zero_grad()
        F.cross_entropy(one(x), y).backward()
        if i < 12 or i % 40 == 0:
            F.cross_entropy(two(x), y).backward()
        for optimiser in optimisers:
            optimiser.step()


@case
def multiplied_by_zero():
    train(net(nn.Linear(6, 3)), lambda p, y: 0.0 * F.cross_entropy(p, y) + F.logsigmoid(torch.zeros(32) * p[:, 0]).mean())
