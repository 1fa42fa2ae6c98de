# fault: vanishing-sigmoids
# cause_class: activation, initialisation, structure
# family: autoencoder
# split: held
import os
from dataclasses import dataclass, field
import torch
import torch.nn as nn


@dataclass
class AEConfig:
    n_features: int = 20
    hidden: list = field(default_factory=lambda: [48, 40, 32, 24])
    code: int = 8
    act: str = "sigmoid"
    lr: float = 1e-3
    epochs: int = 25
    batch: int = 64
    seed: int = int(os.environ.get("SEED", "0"))


ACT = {"relu": nn.ReLU, "tanh": nn.Tanh, "sigmoid": nn.Sigmoid}


def mlp(dims, act):
    mods = []
    for a, b in zip(dims[:-1], dims[1:]):
        mods += [nn.Linear(a, b), ACT[act]()]
    return nn.Sequential(*mods[:-1])


class AE(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        down = [cfg.n_features, *cfg.hidden, cfg.code]
        self.enc = mlp(down, cfg.act)
        self.dec = mlp(down[::-1], cfg.act)

    def forward(self, x):
        return self.dec(ACT["sigmoid"]()(self.enc(x)))


def machine_sensors(n, d):
    state = torch.randn(n, 4)
    w1, w2 = torch.randn(4, 16), torch.randn(16, d)
    x = torch.tanh(state @ w1 / 2) @ w2 / 4 + 0.05 * torch.randn(n, d)
    return (x - x.mean(0)) / x.std(0)


cfg = AEConfig()
torch.manual_seed(cfg.seed)
x = machine_sensors(2300, cfg.n_features)
train, val = x[:2000], x[2000:]
model = AE(cfg)
opt = torch.optim.Adam(model.parameters(), lr=cfg.lr)
loss_fn = nn.MSELoss()
for epoch in range(cfg.epochs):
    model.train()
    running = []
    for idx in torch.randperm(len(train)).split(cfg.batch):
        loss = loss_fn(model(train[idx]), train[idx])
        opt.zero_grad()
        loss.backward()
        opt.step()
        running.append(loss.item())
    if epoch % 4 == 0:
        model.eval()
        with torch.no_grad():
            v = loss_fn(model(val), val).item()
        print(f"epoch {epoch:2d} train {sum(running) / len(running):.4f} val {v:.4f}")
