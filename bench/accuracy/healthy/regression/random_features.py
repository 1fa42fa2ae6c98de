# fault: none
# family: regression
# split: tune
"""Random Fourier features that stay fixed, a trained linear read-out."""
import os
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(int(os.environ.get("SEED", 0)))


class FourierFeatures(nn.Module):
    def __init__(self, dim, n, scale):
        super().__init__()
        self.w = nn.Parameter(torch.randn(dim, n) * scale, requires_grad=False)
        self.b = nn.Parameter(torch.rand(n) * 6.2832, requires_grad=False)

    def forward(self, x):
        return (2.0 / self.w.shape[1]) ** 0.5 * torch.cos(x @ self.w + self.b)


x = torch.randn(2000, 3)
y = (torch.sin(x[:, 0] * x[:, 1]) + x[:, 2].abs())[:, None]
y = (y - y.mean()) / y.std() + 0.05 * torch.randn(2000, 1)
model = nn.Sequential(FourierFeatures(3, 400, 0.9), nn.Linear(400, 1))
opt = torch.optim.SGD((p for p in model.parameters() if p.requires_grad), lr=1.0, momentum=0.9)
loader = DataLoader(TensorDataset(x[:1700], y[:1700]), batch_size=100, shuffle=True)
sched = torch.optim.lr_scheduler.ExponentialLR(opt, 0.93)
for epoch in range(30):
    s = 0.0
    for a, b in loader:
        opt.zero_grad()
        loss = nn.functional.mse_loss(model(a), b)
        loss.backward()
        opt.step()
        s += loss.item() / len(loader)
    sched.step()
    if epoch % 4 == 1:
        with torch.no_grad():
            v = nn.functional.mse_loss(model(x[1700:]), y[1700:])
        print(f"epoch {epoch} train {s:.4f} test {v:.4f}")
