# fault: none
# family: multitask
# split: tune
"""Classification and regression from one trunk; task weights are learnt (Kendall) and the total turns negative."""
import os
import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(int(os.environ.get("SEED", 0)))
x = torch.randn(2000, 10)
h = torch.sin(x @ torch.randn(10, 3) / 2)
y_cls = (h @ torch.randn(3, 4) + 0.1 * torch.randn(2000, 4)).argmax(1)
y_reg = h[:, 0] * h[:, 1] + 0.3 * h[:, 2]
y_reg = (y_reg - y_reg.mean()) / y_reg.std() + 0.05 * torch.randn(2000)


class MultiTask(nn.Module):
    def __init__(self):
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(10, 96), nn.GELU(), nn.Linear(96, 64), nn.GELU())
        self.heads = nn.ModuleDict({"cls": nn.Linear(64, 4), "reg": nn.Linear(64, 1)})
        self.log_var = nn.ParameterDict({k: nn.Parameter(torch.zeros(())) for k in self.heads})

    def forward(self, x):
        f = self.trunk(x)
        return {k: head(f) for k, head in self.heads.items()}

    def losses(self, out, c, r):
        return {"cls": F.cross_entropy(out["cls"], c), "reg": F.mse_loss(out["reg"].squeeze(1), r)}

    def total(self, losses):
        return sum(torch.exp(-self.log_var[k]) * v + 0.5 * self.log_var[k] for k, v in losses.items())


m = MultiTask()
opt = torch.optim.Adam(m.parameters(), lr=2e-3)
for epoch in range(14):
    m.train()
    tot = 0.0
    for idx in torch.randperm(1600).split(50):
        loss = m.total(m.losses(m(x[idx]), y_cls[idx], y_reg[idx]))
        opt.zero_grad()
        loss.backward()
        opt.step()
        tot += loss.item() / 32
    m.eval()
    if epoch % 2:
        with torch.no_grad():
            out = m(x[1600:])
            l = m.losses(out, y_cls[1600:], y_reg[1600:])
        print(f"epoch {epoch} total {tot:+.4f} val cls {l['cls']:.4f} val mse {l['reg']:.4f} "
              f"acc {(out['cls'].argmax(1) == y_cls[1600:]).float().mean():.3f}")
