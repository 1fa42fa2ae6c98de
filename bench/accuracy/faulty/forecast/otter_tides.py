# fault: dropout-on-output
# cause_class: regularisation, structure
# family: forecast
# split: held
import os
import torch
from torch import nn

torch.manual_seed(int(os.environ.get("SEED", 0)))
HORIZON, CONTEXT = 6, 30


def series(n):
    t = torch.arange(CONTEXT + HORIZON).float() + 500 * torch.rand(n, 1)
    s = torch.sin(t * 0.51) + 0.5 * torch.sin(t * 0.25 + 1) + 0.05 * torch.randn(n, CONTEXT + HORIZON)
    return s[:, :CONTEXT], s[:, CONTEXT:]


class Block(nn.Module):
    def __init__(self, i, o, act=True, p=0.3):
        super().__init__()
        self.fc = nn.Linear(i, o)
        self.act = nn.GELU() if act else nn.Identity()
        self.drop = nn.Dropout(p)

    def forward(self, x):
        return self.drop(self.act(self.fc(x)))


class Forecaster(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv1d(1, 8, 5, padding=2)
        self.hidden = Block(8 * CONTEXT, 96, p=0.05)
        self.out = Block(96, HORIZON, act=False)

    def forward(self, x):
        z = torch.relu(self.conv(x[:, None])).flatten(1)
        return self.out(self.hidden(z))


model = Forecaster()
opt = torch.optim.AdamW(model.parameters(), lr=1.5e-3)
sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, 400, eta_min=1e-4)
vx, vy = series(300)
for step in range(400):
    model.train()
    x, y = series(32)
    loss = nn.functional.mse_loss(model(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
    sched.step()
    if step % 40 == 39:
        model.eval()
        with torch.no_grad():
            v = nn.functional.mse_loss(model(vx), vy).item()
        print(f"{step + 1} train {loss.item():.4f} val {v:.4f}")
