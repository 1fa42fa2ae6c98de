# fault: none
# family: mlp
# split: held
"""Wide network, 70 % of the hidden units are dropped in training."""
import os
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(int(os.environ.get("SEED", 0)))
proto = 0.8 * torch.randn(10, 30)
y = torch.randint(10, (2400,))
x = proto[y] + torch.randn(2400, 30)


class Wide(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Linear(30, 512), nn.Linear(512, 10)

    def forward(self, x):
        return self.b(F.dropout(F.relu(self.a(x)), 0.7, self.training))


net = Wide()
opt = torch.optim.Adam(net.parameters(), lr=1e-3)
for epoch in range(10):
    net.train()
    s = 0.0
    for b in torch.randperm(2000).split(50):
        loss = F.cross_entropy(net(x[b]), y[b])
        opt.zero_grad()
        loss.backward()
        opt.step()
        s += loss.item() / 40
    net.eval()
    with torch.no_grad():
        o = net(x[2000:])
    print(f"epoch {epoch} train (with dropout) {s:.4f} val {F.cross_entropy(o, y[2000:]).item():.4f} acc {(o.argmax(1) == y[2000:]).float().mean().item():.3f}")
