# fault: none
# family: accelerate
# split: tune
# needs: accelerate
import os
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
from accelerate import Accelerator
from accelerate.utils import set_seed

set_seed(int(os.environ.get("SEED", "0")))
x = torch.randn(2800, 10)
y = ((x[:, 0] * x[:, 1] + x[:, 2]) > 0).long()
acc = Accelerator(cpu=True, gradient_accumulation_steps=4)
net = nn.Sequential(nn.Linear(10, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 2))
opt = torch.optim.AdamW(net.parameters(), lr=4e-3)
sched = torch.optim.lr_scheduler.OneCycleLR(opt, 8e-3, total_steps=8 * 75 // 4 + 8)
net, opt, dl, sched = acc.prepare(net, opt, DataLoader(TensorDataset(x[:2400], y[:2400]), 32, shuffle=True), sched)
for epoch in range(8):
    net.train()
    tot = 0.0
    for xb, yb in dl:
        with acc.accumulate(net):
            loss = nn.functional.cross_entropy(net(xb), yb)
            acc.backward(loss)
            if acc.sync_gradients:
                acc.clip_grad_norm_(net.parameters(), 1.0)
            opt.step()
            sched.step()
            opt.zero_grad()
        tot += loss.item()
    net.eval()
    with torch.no_grad():
        a = (net(x[2400:]).argmax(1) == y[2400:]).float().mean()
    print(f"{epoch} loss {tot / len(dl):.4f} acc {a:.3f}")
