"""Small trainings that differ in their model, their loss, or what they are fed."""

import torch
import torch.nn.functional as F
from small_registry import STEPS, case, data, net, train
from torch import nn


@case
def healthy():
    train(net(), nn.CrossEntropyLoss(label_smoothing=0.1), optimiser=None)


@case
def softmax_before_cross_entropy():
    train(net(nn.Linear(6, 8), nn.ReLU(), nn.Linear(8, 3), nn.Softmax(dim=1)), F.cross_entropy)


@case
def probabilities_into_kl_div():
    train(net(nn.Linear(6, 3), nn.Softmax(dim=1)), lambda p, y: F.kl_div(p, F.one_hot(y, 3) * 0.7 + 0.1, reduction="batchmean"))


@case
def own_loss_of_a_column():
    train(net(nn.Linear(6, 1)), lambda p, y: (p - y.float()).abs().clamp(max=1.0).pow(2).mean())


@case
def weights_of_samples_in_a_row():
    w = torch.arange(32.0) + 1
    train(net(nn.Linear(6, 1)), lambda p, y: (F.huber_loss(p, y.float()[:, None], reduction="none") * w).mean())


@case
def weights_of_samples_in_a_column():
    w = torch.arange(32.0)[:, None] + 1
    train(net(nn.Linear(6, 1)), lambda p, y: (F.huber_loss(p, y.float()[:, None], reduction="none") * w).mean())


@case
def loss_of_nothing():
    train(net(nn.Linear(6, 3)), lambda p, y: (p.argmax(1) != y).float().mean().requires_grad_(True))


@case
def term_by_a_function():
    torch.manual_seed(1)
    train(net(nn.Linear(6, 1), nn.Tanh()), lambda p, y: F.mse_loss(p.squeeze(), y.float(), reduction="sum") / 32 + p.exp().mean())


@case
def squares_written_out():
    torch.manual_seed(1)
    train(net(nn.Linear(6, 1)), lambda p, y: ((p.squeeze() - y) ** 2).mean())


@case
def squares_of_every_pair():
    torch.manual_seed(1)
    train(net(nn.Linear(6, 1)), lambda p, y: (y - p).pow(2).sum() / len(y))


@case
def magnitudes_written_out():
    torch.manual_seed(1)
    train(net(nn.Linear(6, 1)), lambda p, y: (p - y.float()[:, None]).abs().mean())


@case
def constant_loss():
    train(net(nn.Linear(6, 1)), lambda p, y: F.cross_entropy(p, torch.zeros_like(y)))


@case
def log_softmax_and_nll():
    train(net(nn.Linear(6, 3), nn.LogSoftmax(1)), nn.NLLLoss())


@case
def raw_into_bce():
    train(net(nn.Linear(6, 1), nn.Sigmoid()), nn.BCELoss(), ((x, (y > 0).float()[:, None]) for x, y in data()))


@case
def sigmoid_before_bce_with_logits():
    train(net(nn.Linear(6, 1), nn.Sigmoid()), F.binary_cross_entropy_with_logits, ((x, (y > 0).float()[:, None]) for x, y in data()))


@case
def weighed_classes():
    train(net(), nn.CrossEntropyLoss(weight=torch.tensor([0.5, 0.25, 2.0])))


@case
def weighed_positives():
    train(net(nn.Linear(6, 1)), lambda o, y: F.binary_cross_entropy_with_logits(o, y, pos_weight=torch.tensor([0.125])), ((x, (y > 0).float()[:, None]) for x, y in data()))


@case
def broadcast_module():
    train(net(nn.Linear(6, 1)), nn.MSELoss(), ((x, x.sum(1)) for x, _ in data()))


@case
def broadcast_function():
    train(net(nn.Linear(6, 1)), F.mse_loss, ((x, x.sum(1)) for x, _ in data()))


@case
def expanded_on_purpose():
    train(net(nn.Linear(6, 3)), F.mse_loss, ((x, x[:, :1].expand(-1, 3)) for x, _ in data()))


@case
def hand_written_loss():
    train(net(nn.Linear(6, 8), nn.Tanh(), nn.Linear(8, 1)), lambda p, y: ((p - y) ** 2).mean(), ((x, x[:, :1]) for x, _ in data()))


@case
def no_activation():
    train(net(nn.Linear(6, 8), nn.Dropout(0.1), nn.Linear(8, 8), nn.Linear(8, 3)), F.cross_entropy)


@case
def unreached():
    class Two(nn.Module):
        def __init__(self):
            super().__init__()
            self.used, self.forgotten = nn.Linear(6, 3), nn.Linear(6, 3)

        def forward(self, x):
            self.forgotten(x)
            return self.used(x)

    train(Two(), nn.CrossEntropyLoss())


@case
def first_model_without_gradients():
    body, head = net(nn.Linear(6, 8), nn.Tanh(), nn.Linear(8, 8)), net(nn.Linear(8, 3))
    optimiser = torch.optim.SGD(list(body.parameters()) + list(head.parameters()), lr=0.1)
    for x, y in data():
        optimiser.zero_grad()
        with torch.no_grad():
            hidden = body(x)
        F.cross_entropy(head(hidden), y).backward()
        optimiser.step()


@case
def made_in_forward():
    class Careless(nn.Module):
        def __init__(self):
            super().__init__()
            self.first = nn.Linear(6, 8)

        def forward(self, x):
            noise = nn.Parameter(torch.zeros(8, 8))  # gone as well, but no weight of a layer
            return nn.Linear(8, 3)(torch.relu(self.first(x)) @ torch.eye(8) + noise[:1])

    train(Careless(), nn.CrossEntropyLoss())


@case
def perturbed_inputs():
    model = net()
    optimiser = torch.optim.SGD(model.parameters(), lr=0.1)
    for x, y in data():
        optimiser.zero_grad()
        F.cross_entropy(model(x + nn.Parameter(torch.zeros_like(x))), y).backward()
        optimiser.step()


@case
def constant_batches():
    x, y = torch.randn(32, 6), torch.randint(3, (32,))
    x[:, 2] = 5.0
    train(net(), nn.CrossEntropyLoss(), ((x, y) for _ in range(STEPS)))


@case
def scaled_by_one_number():
    x, y = torch.randn(32, 6) * torch.tensor([20000.0, 9000.0, 15.0, 0.3, 0.3, 0.0]), torch.randint(3, (32,))
    x = (x - x.mean()) / x.std()
    train(net(), nn.CrossEntropyLoss(), ((x, y) for _ in range(STEPS)))


@case
def losses_of_several_shapes():
    """One loss module compares pictures, then numbers of theirs."""
    criterion = nn.MSELoss()
    train(net(nn.Linear(6, 12)), lambda p, y: criterion(p.view(-1, 3, 2, 2), torch.zeros(len(p), 3, 2, 2)) + criterion(p.sum(1), y.float()))


@case
def added_in_place():
    """What the loss module gave is not what is minimised."""
    criterion = nn.CrossEntropyLoss()
    train(net(), lambda p, y: criterion(p, y).add_(p.square().mean() + 3.0))


@case
def warmed_up():
    model = net()
    optimiser = torch.optim.SGD(model.parameters(), lr=0.5)
    schedule = torch.optim.lr_scheduler.LambdaLR(optimiser, lambda n: (n + 1) / 100)
    for x, y in [*data(), *data()]:
        optimiser.zero_grad()
        F.cross_entropy(model(x), y).backward()
        optimiser.step()
        schedule.step()


@case
def log_softmax_over_samples():
    train(net(nn.Linear(6, 3), nn.Dropout(0.5), nn.Linear(3, 3)), lambda p, y: F.nll_loss(F.log_softmax(p, dim=0), y))


@case
def log_softmax_over_nodes_of_which_some_are_trained():
    chosen = torch.arange(0, 32, 2)
    train(net(nn.Linear(6, 3)), lambda p, y: F.nll_loss(F.log_softmax(p, dim=0)[chosen], y[chosen]))


@case
def log_softmax_over_classes_of_which_some_samples_are_trained():
    chosen = torch.arange(0, 32, 2)
    train(net(nn.Linear(6, 3)), lambda p, y: F.nll_loss(F.log_softmax(p, dim=1)[chosen], y[chosen]))


@case
def log_softmax_over_samples_picked_by_label():
    train(net(nn.Linear(6, 3)), lambda p, y: -F.log_softmax(p, dim=0).gather(1, y[:, None]).mean())


@case
def log_softmax_over_samples_picked_by_index():
    train(net(nn.Linear(6, 3)), lambda p, y: -p.log_softmax(0)[torch.arange(32), y].mean())


@case
def log_softmax_over_candidates():
    """Each column is a question, each row an answer to it."""
    train(net(nn.Linear(6, 3)), lambda p, y: -p.log_softmax(0).gather(0, y[None, :3]).mean())


@case
def loss_of_two_views():
    class PairLoss(nn.Module):
        def forward(self, a, b):
            a, b = F.normalize(a, dim=-1), F.normalize(b, dim=-1)
            return F.cross_entropy(0.07 * a @ b.T, torch.arange(32))

    loss = PairLoss()
    train(net(nn.Linear(6, 3)), lambda p, y: loss(p, p + 0.1 * torch.randn_like(p)))


class Pooled(nn.Module):
    """Attention over an axis of length one."""

    def __init__(self):
        super().__init__()
        self.score, self.head = nn.Linear(6, 1), nn.Linear(6, 3)

    def forward(self, x):
        return self.head(F.softmax(self.score(x), dim=-1) * x)


@case
def softmax_of_one():
    train(Pooled(), F.cross_entropy)


@case
def waits_for_a_plateau():
    model = net(nn.Linear(6, 3))
    optimiser = torch.optim.SGD(model.parameters(), lr=0.1)
    plateau = torch.optim.lr_scheduler.ReduceLROnPlateau(optimiser, factor=0.5, patience=0)
    train(model, F.cross_entropy, optimiser=optimiser)
    for val_acc in (0.25, 0.5, 0.75):
        plateau.step(val_acc)
    train(model, F.cross_entropy, optimiser=optimiser)


@case
def one_class():
    model = net(nn.Linear(6, 3))
    nn.init.zeros_(model[0].weight)
    model[0].bias.data[:] = torch.tensor([0.0, 50.0, 0.0])
    train(model, nn.CrossEntropyLoss(), optimiser=torch.optim.SGD(model.parameters(), lr=1e-6))


@case
def fetched_again():
    loader = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(torch.randn(64, 6), torch.randint(3, (64,))), 8)
    train(net(), F.cross_entropy, (next(iter(loader)) for _ in range(STEPS)))


@case
def index_stands():
    samples, labels = torch.randn(64, 6), torch.randint(3, (64,))
    train(net(), F.cross_entropy, ((samples[torch.arange(8)], labels[:8]) for _ in range(STEPS)))


@case
def seeded_anew():
    """Letters are in a text at many places, more than a thousand before the batch."""
    text = torch.arange(6).repeat(3000)
    text[-60:] = torch.arange(5, -1, -1).repeat(10)
    model = nn.Sequential(nn.Embedding(6, 8), nn.Flatten(), nn.Linear(48, 3))
    batches = (torch.stack([text[i : i + 6] for i in range(len(text) - 58, len(text) - 50)]) for _ in range(STEPS))
    train(model, F.cross_entropy, ((x, torch.arange(8) % 3) for x in batches))


@case
def tensors_alone():
    held = {
        "first": torch.randn(6, 8, requires_grad=True),
        "bias": torch.zeros(8, requires_grad=True),
        "second": torch.randn(3, 8, requires_grad=True),
    }
    optimiser = torch.optim.SGD(list(held.values()), lr=0.1)
    for x, y in data():
        optimiser.zero_grad()
        F.cross_entropy(F.linear(torch.relu(x @ held["first"] + held["bias"]), held["second"]), y).backward()
        optimiser.step()


@case
def weights_of_its_own():
    class Own(nn.Module):
        def __init__(self):
            super().__init__()
            self.first, self.second = nn.Parameter(torch.randn(6, 16)), nn.Parameter(torch.randn(16, 3))

        def forward(self, x):
            return (torch.relu(x @ self.first) @ self.second) / 4  # scaled

    train(Own(), F.cross_entropy)


def pictures(arrange):
    # channels last: slow waves, each channel by itself
    place = torch.linspace(0, 3, 12)
    waves = torch.sin(place[:, None, None] + 2 * place[None, :, None] + torch.tensor([0.0, 2.0, 4.0]))
    model = nn.Sequential(nn.Conv2d(3, 4, 3), nn.ReLU(), nn.Flatten(), nn.Linear(400, 3))
    train(model, F.cross_entropy, ((arrange(waves + 0.1 * torch.randn(8, 12, 12, 3)), torch.randint(3, (8,))) for _ in range(STEPS)))


@case
def channels_renamed():
    pictures(lambda images: images.reshape(8, 3, 12, 12))


@case
def channels_exchanged():
    pictures(lambda images: images.permute(0, 3, 1, 2))


@case
def kept_batch():
    samples, labels = torch.randn(64, 6)[:8], torch.randint(3, (8,))
    train(net(), F.cross_entropy, ((samples[:8], labels) for _ in range(STEPS)))


@case
def shared_weights():
    class Tied(nn.Module):
        def __init__(self):
            super().__init__()
            self.embed, self.out = nn.Embedding(11, 8), nn.Linear(8, 11, bias=False)
            self.out.weight = self.embed.weight

        def forward(self, x):
            return self.out(torch.tanh(self.embed(x)))

    train(Tied(), lambda p, y: F.cross_entropy(p.flatten(0, 1), y.flatten()), ((torch.randint(11, (4, 5)),) * 2 for _ in range(STEPS)))


@case
def keywords_and_mappings():
    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.embed, self.out = nn.Embedding(11, 8), nn.Linear(8, 3)

        def forward(self, input_ids=None, labels=None):
            logits = self.out(self.embed(input_ids).mean(1))
            return {"loss": F.cross_entropy(logits, labels), "logits": logits}

    model = Model()
    optimiser = torch.optim.AdamW(model.parameters(), lr=1e-3)
    for _ in range(STEPS):
        optimiser.zero_grad()
        model(input_ids=torch.randint(11, (4, 5)), labels=torch.randint(3, (4,)))["loss"].backward()
        optimiser.step()


@case
def one_hot_labels():
    train(net(), nn.MSELoss(), ((x, F.one_hot(y, 3).float()) for x, y in data()))


@case
def odd_tensors():
    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.embed, self.out = nn.Embedding(11, 8, sparse=True), nn.Linear(8, 3)
            self.unused = nn.Parameter(torch.zeros(2, dtype=torch.complex64))

        def forward(self, x):
            return self.out(torch.utils.checkpoint.checkpoint(self.inner, x, torch.zeros(1, requires_grad=True), use_reentrant=True))

        def inner(self, x, _):
            return F.relu(self.embed(x)).mean(1)

    import torch.utils.checkpoint

    model = Model()
    train(model, F.cross_entropy, ((torch.randint(11, (4, 5)), torch.randint(3, (4,))) for _ in range(STEPS)))


@case
def beside_the_model():
    """A parameter in a list, a number and a coordinate, none of which an optimiser holds; one that the script updates by hand."""
    model, scales = net(nn.Linear(6, 8), nn.Tanh(), nn.Linear(8, 1)), [nn.Parameter(torch.tensor(0.5))]
    factor, begin = torch.tensor([2.0], requires_grad=True), torch.zeros(1, requires_grad=True)
    by_hand = nn.Parameter(torch.ones(()))
    optimiser = torch.optim.SGD(model.parameters(), lr=0.01)
    for x, _ in data():
        optimiser.zero_grad()
        out = model(torch.cat([x[:, 1:], begin.expand(len(x), 1)], 1))
        (scales[0] * (out - factor).pow(2).mean() + by_hand * out.mean()).backward()
        optimiser.step()
        with torch.no_grad():
            by_hand += 0.1
