# fault: dropout-on-output
# cause_class: regularisation, structure
# family: regression
# split: tune
import os
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(int(os.environ.get("SEED", "0")))
settings = {"widths": [8, 64, 64, 1], "dropout": 0.3, "lr": 1e-3, "epochs": 15}


def build(widths, dropout):
    blocks = []
    for k in range(len(widths) - 1):
        block = [nn.Linear(widths[k], widths[k + 1])]
        if k < len(widths) - 2:
            block.append(nn.SiLU())
        if dropout:
            block.append(nn.Dropout(dropout))
        blocks.append(nn.Sequential(*block))
    return nn.Sequential(*blocks)


def concrete(n):
    x = torch.randn(n, 8)
    y = x[:, 0] + torch.sin(2 * x[:, 1]) + x[:, 2] * x[:, 3] + 0.1 * torch.randn(n)
    y = (y - y.mean()) / y.std() + 2.0
    return TensorDataset(x, y.unsqueeze(1))


train, test = concrete(2400), concrete(500)
net = build(settings["widths"], settings["dropout"])
opt = torch.optim.AdamW(net.parameters(), lr=settings["lr"])
for epoch in range(settings["epochs"]):
    net.train()
    tot = 0.0
    dl = DataLoader(train, batch_size=40, shuffle=True)
    for x, y in dl:
        opt.zero_grad()
        loss = nn.functional.mse_loss(net(x), y)
        loss.backward()
        opt.step()
        tot += loss.item()
    net.eval()
    with torch.no_grad():
        v = nn.functional.mse_loss(net(test.tensors[0]), test.tensors[1])
    print(f"epoch {epoch} train {tot / len(dl):.4f} test {v.item():.4f}")
