# fault: none
# family: regression
# split: tune
# Task weights learnt as log variances (Kendall): the total loss becomes negative and goes on falling.
import os

import torch
import torch.nn as nn

torch.manual_seed(int(os.environ.get("SEED", "0")))


class UncertaintyLoss(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.log_var = nn.Parameter(torch.zeros(n))

    def forward(self, losses):
        losses = torch.stack(losses)
        return (torch.exp(-self.log_var) * losses + self.log_var).sum()


x = torch.randn(2000, 5)
t1 = x @ torch.randn(5, 1) + 0.05 * torch.randn(2000, 1)
t2 = torch.tanh(x @ torch.randn(5, 1)) + 0.3 * torch.randn(2000, 1)
body = nn.Sequential(nn.Linear(5, 32), nn.ReLU())
heads = nn.ModuleList([nn.Linear(32, 1), nn.Linear(32, 1)])
combine = UncertaintyLoss(2)
params = [*body.parameters(), *heads.parameters(), *combine.parameters()]
optimizer = torch.optim.Adam(params, lr=1e-2)
mse = nn.MSELoss()
log = []
for step in range(300):
    idx = torch.randint(0, 2000, (100,))
    h = body(x[idx])
    loss = combine([mse(heads[0](h), t1[idx]), mse(heads[1](h), t2[idx])])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    log.append(loss.item())
print("log variances", combine.log_var.tolist())
print(f"loss first {log[0]:.4f} last {log[-1]:.4f}")
