# fault: none
# family: multitask
# split: held
# Kendall & Gal: learned weights of three tasks; the total becomes negative
import os
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(int(os.environ.get("SEED", "0")))
N = 1600
x = torch.randn(N, 12)
h = torch.tanh(x @ torch.randn(12, 6) / 3)
y_reg = (h @ torch.randn(6, 1)) + 0.03 * torch.randn(N, 1)
y_reg = y_reg / y_reg.std()
y_cls = (h @ torch.randn(6, 4) + 0.05 * torch.randn(N, 4)).argmax(1)
y_aux = torch.sin(2 * h[:, :2]) + 0.02 * torch.randn(N, 2)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(12, 64), nn.SiLU(), nn.Linear(64, 64), nn.SiLU())
        self.reg, self.cls, self.aux = nn.Linear(64, 1), nn.Linear(64, 4), nn.Linear(64, 2)
        self.log_var = nn.Parameter(torch.zeros(3))

    def forward(self, x):
        t = self.trunk(x)
        return self.reg(t), self.cls(t), self.aux(t)

    def losses(self, idx):
        a, b, c = self(x[idx])
        return torch.stack([F.mse_loss(a, y_reg[idx]), F.cross_entropy(b, y_cls[idx]), F.mse_loss(c, y_aux[idx])])


net = Net()
opt = torch.optim.Adam([{"params": [p for n, p in net.named_parameters() if n != "log_var"]},
                        {"params": [net.log_var], "lr": 2e-2}], lr=2e-3)
test = torch.arange(1300, N)
for ep in range(14):
    for idx in torch.randperm(1300).split(52):
        l = net.losses(idx)
        total = (torch.exp(-net.log_var) * l + net.log_var).sum() * 0.5
        opt.zero_grad()
        total.backward()
        opt.step()
    if ep % 2 == 1:
        with torch.no_grad():
            t = net.losses(test)
        print(f"epoch {ep} total {total.item():.3f} test reg {t[0]:.4f} cls {t[1]:.4f} aux {t[2]:.4f} log var {[round(v, 2) for v in net.log_var.tolist()]}")
