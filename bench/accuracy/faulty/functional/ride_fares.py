# fault: inputs-not-scaled
# cause_class: data-scaling
# family: functional
# split: tune
import os
import torch
import torch.nn.functional as F

torch.manual_seed(int(os.environ.get("SEED", 0)))
n = 2000
when = 1.6e9 + torch.rand(n) * 3e7
dist, hour = torch.rand(n) * 3 - 1.5, (when / 3600) % 24
feats = torch.stack([when, dist, torch.randint(0, 5, (n,)).float() - 2], 1)
fare = dist * 1.2 + 0.5 * feats[:, 2] + 0.1 * torch.randn(n)


def layer(i, o):
    b = 1 / i ** 0.5
    return (torch.empty(o, i).uniform_(-b, b).requires_grad_(), torch.zeros(o, requires_grad=True))


params = {"l1": layer(3, 32), "l2": layer(32, 32), "l3": layer(32, 1)}


def forward(p, x):
    x = F.relu(F.linear(x, *p["l1"]))
    x = F.relu(F.linear(x, *p["l2"]))
    return F.linear(x, *p["l3"]).squeeze(-1)


opt = torch.optim.Adam([t for pair in params.values() for t in pair], lr=1e-3)
for step in range(600):
    i = torch.randint(0, n, (64,))
    loss = F.mse_loss(forward(params, feats[i]), fare[i])
    opt.zero_grad()
    loss.backward()
    opt.step()
    if step % 60 == 0:
        print(step, loss.item())
