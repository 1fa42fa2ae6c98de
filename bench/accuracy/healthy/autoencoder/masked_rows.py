# fault: none
# family: autoencoder
# split: held
# fill in hidden columns; an autoencoder with tied weights
import os
import torch
import torch.nn as nn
import torch.nn.functional as F
torch.manual_seed(int(os.environ.get("SEED", 0)))

L = torch.randn(4, 24)
rows = torch.randn(3000, 4) @ L / 2 + 0.1 * torch.randn(3000, 24)

class Tied(nn.Module):
    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(torch.randn(24, 64) / 24 ** .5)
        self.b = nn.Parameter(torch.zeros(64)); self.c = nn.Parameter(torch.zeros(24))
    def forward(self, x):
        return F.leaky_relu(x @ self.w + self.b, .1) @ self.w.t() + self.c

net = Tied()
opt = torch.optim.Adam(net.parameters(), lr=2e-3)
def loss_of(x):
    hide = torch.rand_like(x) < .25
    r = net(x.masked_fill(hide, 0))
    return ((r - x)[hide] ** 2).mean()
for ep in range(14):
    tot = 0
    for b in torch.randperm(2500).split(50):
        l = loss_of(rows[b])
        opt.zero_grad(); l.backward(); opt.step()
        tot += l.item() / 50
    with torch.no_grad():
        print(f"epoch {ep} hidden cells mse {tot:.4f} val {loss_of(rows[2500:]).item():.4f} (variance {rows.var().item():.3f})")
