# fault: init-equal
# cause_class: initialisation
# family: mlp
# split: held
"""Gesture recognition from 6 IMU channels; the weight scheme comes from the experiment config."""
import os

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

EXPERIMENT = {
    "model": {"widths": [48, 48], "init": {"scheme": "constant", "gain": 0.08}},
    "optim": {"name": "Adam", "lr": 3e-3},
    "data": {"n_train": 4000, "n_valid": 800, "batch_size": 80},
    "epochs": 5,
}

SCHEMES = {
    "xavier": lambda w, gain: nn.init.xavier_uniform_(w, gain=gain),
    "normal": lambda w, gain: nn.init.normal_(w, std=gain),
    "constant": lambda w, gain: nn.init.constant_(w, gain),
}


class GestureMLP(nn.Module):
    def __init__(self, n_in, n_out, widths, init):
        super().__init__()
        dims = [n_in, *widths]
        self.hidden = nn.ModuleList(nn.Linear(a, b) for a, b in zip(dims, dims[1:]))
        self.out = nn.Linear(dims[-1], n_out)
        self.apply(lambda m: self.reset(m, **init))

    @staticmethod
    def reset(module, scheme, gain):
        if isinstance(module, nn.Linear):
            SCHEMES[scheme](module.weight, gain)
            nn.init.zeros_(module.bias)

    def forward(self, x):
        for layer in self.hidden:
            x = torch.tanh(layer(x))
        return self.out(x)


def gestures(n, prototypes):
    y = torch.randint(0, len(prototypes), (n,))
    return TensorDataset(prototypes[y] + 0.8 * torch.randn(n, prototypes.shape[1]), y)


def main():
    torch.manual_seed(int(os.environ.get("SEED", "0")))
    d = EXPERIMENT["data"]
    prototypes = torch.randn(8, 24)
    train, valid = gestures(d["n_train"], prototypes), gestures(d["n_valid"], prototypes)
    model = GestureMLP(24, 8, **EXPERIMENT["model"])
    o = dict(EXPERIMENT["optim"])
    optimizer = getattr(torch.optim, o.pop("name"))(model.parameters(), **o)
    for epoch in range(EXPERIMENT["epochs"]):
        model.train()
        seen = 0.0
        for x, y in DataLoader(train, d["batch_size"], shuffle=True):
            loss = nn.functional.cross_entropy(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            seen += loss.item() * len(y)
        model.eval()
        with torch.no_grad():
            acc = (model(valid.tensors[0]).argmax(1) == valid.tensors[1]).float().mean()
        print(f"epoch {epoch} loss {seen / len(train):.4f} acc {acc:.3f}")


if __name__ == "__main__":
    main()
