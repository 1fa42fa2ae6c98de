"""Small trainings that differ in the mode their model, or a part of it, is in: training or evaluation."""

import copy
import itertools

import torch
import torch.nn.functional as F
from small_registry import case, data, net, train
from torch import nn


@case
def evaluated_in_training_mode():
    model = train(net(nn.Linear(6, 8), nn.BatchNorm1d(8), nn.ReLU(), nn.Dropout(0.2), nn.Linear(8, 3)), F.cross_entropy)
    with torch.no_grad():
        for x, _ in data():
            model(x)


@case
def evaluated_well():
    model = train(net(nn.Linear(6, 8), nn.BatchNorm1d(8), nn.ReLU(), nn.Dropout(0.2), nn.Linear(8, 3)), F.cross_entropy)
    model.eval()
    with torch.no_grad():
        for x, _ in data():
            model(x)


@case
def samples_of_a_posterior():
    """Monte Carlo dropout: several passes over the same inputs in training mode."""
    model = train(net(nn.Linear(6, 8), nn.ReLU(), nn.Dropout(0.2), nn.Linear(8, 3)), F.cross_entropy)
    with torch.no_grad():
        for x, _ in itertools.islice(data(), 2):
            torch.stack([model(x) for _ in range(5)]).mean(0)


@case
def labels_that_are_guessed():
    """Before each update the model guesses labels for new inputs."""
    model = net(nn.Linear(6, 8), nn.ReLU(), nn.Dropout(0.2), nn.Linear(8, 3))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for x, y in data():
        other = torch.randn_like(x)
        with torch.no_grad():
            guessed = model(other).softmax(1)
        loss = F.cross_entropy(model(x), y) + F.cross_entropy(model(other), guessed)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


@case
def copies_evaluated_well():
    """Snapshots are in evaluation mode while the model that they were taken of is trained on."""
    model = train(net(nn.Linear(6, 8), nn.BatchNorm1d(8), nn.ReLU(), nn.Dropout(0.2), nn.Linear(8, 3)), F.cross_entropy)
    snapshot = copy.deepcopy(model).eval()
    with torch.no_grad():
        for x, _ in data():
            snapshot(x)


@case
def statistics_made_anew():
    """Before it is evaluated a model goes through some batches in training mode, for its running statistics."""
    model = train(net(nn.Linear(6, 8), nn.BatchNorm1d(8), nn.ReLU(), nn.Linear(8, 3)), F.cross_entropy)
    with torch.no_grad():
        model[1].momentum = None
        model[1].reset_running_stats()
        for x, _ in data():
            model(x)
        model.eval()
        for x, _ in data():
            model(x)


@case
def functional_dropout_in_evaluation():
    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.layer = nn.Linear(6, 3)

        def forward(self, x):
            return self.layer(F.dropout(x, 0.4))

    original = F.dropout
    model = train(Model(), F.cross_entropy).eval()
    with torch.no_grad():
        model(torch.full((16, 6), 7.0))
        assert F.dropout is original
        model(torch.full((16, 6), 7.0))
    train(model.train(), F.cross_entropy)


@case
def trained_in_eval():
    model = train(net(nn.Linear(6, 8), nn.BatchNorm1d(8), nn.Dropout(0.2), nn.Linear(8, 3)), F.cross_entropy)
    model.eval()
    train(model, F.cross_entropy)


@case
def always_in_eval():
    train(net(nn.Linear(6, 8), nn.Dropout(0.2), nn.Linear(8, 3)).eval(), F.cross_entropy)


@case
def part_in_eval():
    model = net(nn.Sequential(nn.Linear(6, 8), nn.BatchNorm1d(8)), nn.ReLU(), nn.Linear(8, 3))
    model[0].eval()
    train(model, F.cross_entropy)


@case
def asked_before_it_learns():
    """A learner that makes its data: for each update it is asked for one sample, in training mode."""
    model = net(nn.Linear(6, 8), nn.ReLU(), nn.Linear(8, 2))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for x, _ in data():
        with torch.no_grad():
            model(x[:1].clone()).argmax(1).item()
        optimizer.zero_grad()
        F.mse_loss(model(x)[:, 0], torch.rand(len(x))).backward()
        optimizer.step()
