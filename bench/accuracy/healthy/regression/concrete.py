# fault: none
# family: regression
# split: held
import os, torch
from torch import nn
torch.manual_seed(int(os.environ.get("SEED", 0)))

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        dims = [8, 48, 48, 1]
        layers = []
        for i, (a, b) in enumerate(zip(dims[:-1], dims[1:])):
            layers.append(nn.Linear(a, b))
            if b > 1:
                layers += [nn.LayerNorm(b), nn.ReLU()]
        self.body = nn.Sequential(*layers)

    def forward(self, x):
        return self.body(x).squeeze(-1)

mix = torch.randn(2600, 8)
strength = 0.8 * mix[:, 0] - 0.6 * mix[:, 1] ** 2 + 0.5 * mix[:, 2] * mix[:, 3] + 0.6 + 0.1 * torch.randn(2600)
net = Net()
opt = torch.optim.AdamW(net.parameters(), lr=1e-3, weight_decay=1e-3)
for epoch in range(12):
    s = 0.
    for b in torch.randperm(2200).split(40):
        loss = (net(mix[b]) - strength[b]).pow(2).mean()
        opt.zero_grad(); loss.backward(); opt.step()
        s += loss.item() / 55
    with torch.no_grad():
        p = net(mix[2200:])
        print(f"{epoch:3d}  mse {s:.4f}  val mse {(p - strength[2200:]).pow(2).mean():.4f}  spread of predictions {p.std():.4f}")
