# fault: none
# family: finetune
# split: held
import io
import os
import torch
from torch import nn

torch.manual_seed(int(os.environ.get("SEED", 0)))
w = torch.randn(8)


def data(n):
    x = torch.randn(n, 8)
    return x, (torch.sin(x @ w * 0.5) + x[:, 0] * 0.3 + 0.05 * torch.randn(n)).unsqueeze(1)


def build():
    net = nn.Sequential(nn.Linear(8, 64), nn.GELU(), nn.Linear(64, 64), nn.GELU(), nn.Linear(64, 1))
    opt = torch.optim.AdamW(net.parameters(), lr=2e-3)
    return net, opt, torch.optim.lr_scheduler.CosineAnnealingLR(opt, 16)


xt, yt = data(3000)
xv, yv = data(600)


def train(net, opt, sched, first, last):
    for epoch in range(first, last):
        for b in torch.randperm(3000).split(60):
            loss = nn.functional.mse_loss(net(xt[b]), yt[b])
            opt.zero_grad()
            loss.backward()
            opt.step()
        sched.step()
        with torch.no_grad():
            print(f"epoch {epoch} train {loss.item():.4f} val {nn.functional.mse_loss(net(xv), yv).item():.4f}")


net, opt, sched = build()
train(net, opt, sched, 0, 8)
store = io.BytesIO()
torch.save({"net": net.state_dict(), "opt": opt.state_dict(), "sched": sched.state_dict()}, store)
store.seek(0)
print("--- restart")
state = torch.load(store)
net, opt, sched = build()
net.load_state_dict(state["net"]); opt.load_state_dict(state["opt"]); sched.load_state_dict(state["sched"])
train(net, opt, sched, 8, 16)
