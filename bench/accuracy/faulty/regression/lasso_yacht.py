# fault: weight-decay-too-strong
# cause_class: regularisation, loss
# family: regression
# split: tune
import os

import torch
import torch.nn.functional as F

torch.manual_seed(int(os.environ.get("SEED", "0")))

# resistance of hulls by their shape and speed
hulls = torch.rand(1200, 6)
drag = torch.exp(2 * hulls[:, 5]) + 2 * hulls[:, 0] * hulls[:, 1] - 1.5 * hulls[:, 2] ** 2 + 0.1 * torch.randn(1200)
drag = ((drag - drag.mean()) / drag.std()).unsqueeze(1)
hulls = (hulls - 0.5) / 0.29


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.a = torch.nn.Linear(6, 50)
        self.b = torch.nn.Linear(50, 50)
        self.c = torch.nn.Linear(50, 1)

    def forward(self, x):
        return self.c(F.silu(self.b(F.silu(self.a(x)))))


net = Net()
opt = torch.optim.Adam(net.parameters(), lr=2e-3)
LAMBDA = 0.1
for epoch in range(12):
    for idx in torch.randperm(1000).split(40):
        error = F.mse_loss(net(hulls[idx]), drag[idx])
        sparsity = torch.zeros(())
        for name, p in net.named_parameters():
            if "weight" in name:
                sparsity = sparsity + torch.norm(p, 1)
        loss = error + LAMBDA * sparsity
        opt.zero_grad()
        loss.backward()
        opt.step()
    with torch.no_grad():
        test = F.mse_loss(net(hulls[1000:]), drag[1000:])
    print(f"{epoch} objective {loss.item():.4f} error {error.item():.4f} test {test.item():.4f} of {drag[1000:].var().item():.4f}")
