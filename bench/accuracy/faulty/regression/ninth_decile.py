# fault: broadcast-targets
# cause_class: labels, loss, structure
# family: regression
# split: tune
import os
import torch
from torch import nn

torch.manual_seed(int(os.environ.get("SEED", "0")))


def pinball(prediction, target, q):
    error = target - prediction
    return torch.max(q * error, (q - 1) * error).mean()


x = torch.rand(3000, 5)
y = 2 * x[:, 0] - x[:, 1] * x[:, 2] + 0.3 * torch.randn(3000) * (0.5 + x[:, 3])
net = nn.Sequential(nn.Linear(5, 48), nn.GELU(), nn.Linear(48, 48), nn.GELU(), nn.Linear(48, 1))
opt = torch.optim.AdamW(net.parameters(), lr=3e-3)
for step in range(500):
    pick = torch.randint(0, 2600, (128,))
    loss = pinball(net(x[pick]), y[pick], 0.9)
    opt.zero_grad()
    loss.backward()
    opt.step()
    if step % 100 == 0:
        with torch.no_grad():
            out = net(x[2600:]).squeeze(1)
        print(step, f"{loss.item():.4f}", "below:", f"{(y[2600:] <= out).float().mean():.3f}", "spread", f"{out.std():.3f}")
