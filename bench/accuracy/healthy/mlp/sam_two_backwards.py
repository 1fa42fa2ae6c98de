# fault: none
# family: mlp
# split: tune
# Sharpness-aware minimisation: climb, second forward and backward, restore, step.
import os

import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(int(os.environ.get("SEED", "0")))


class SAM(torch.optim.Optimizer):
    def __init__(self, params, base, rho=0.05, **kwargs):
        super().__init__(params, dict(rho=rho, **kwargs))
        self.base = base(self.param_groups, **kwargs)
        self.param_groups = self.base.param_groups

    @torch.no_grad()
    def ascend(self):
        norm = torch.stack([p.grad.norm() for g in self.param_groups for p in g["params"]]).norm()
        for group in self.param_groups:
            scale = group["rho"] / (norm + 1e-12)
            for p in group["params"]:
                e = p.grad * scale
                p.add_(e)
                self.state[p]["e"] = e
        self.zero_grad()

    @torch.no_grad()
    def descend(self):
        for group in self.param_groups:
            for p in group["params"]:
                p.sub_(self.state[p]["e"])
        self.base.step()
        self.zero_grad()

    def step(self, closure=None):
        raise NotImplementedError("use ascend and descend")


x = torch.randn(1500, 10)
y = (x[:, 0] * x[:, 1] > 0).long() + 2 * (x[:, 2] > 0).long()
model = nn.Sequential(nn.Linear(10, 64), nn.ReLU(), nn.Linear(64, 4))
opt = SAM(model.parameters(), torch.optim.SGD, rho=0.05, lr=0.1, momentum=0.9)
out = []
for step in range(250):
    i = torch.randint(0, 1500, (64,))
    loss = F.cross_entropy(model(x[i]), y[i])
    loss.backward()
    opt.ascend()
    F.cross_entropy(model(x[i]), y[i]).backward()
    opt.descend()
    out.append(loss.item())
print(f"loss first {out[0]:.4f} last {out[-1]:.4f}")
