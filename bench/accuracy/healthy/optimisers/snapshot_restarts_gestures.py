# fault: none
# family: optimisers
# split: held
# set: badger, unseen
# metric: accuracy higher
# baseline: 0.13
# reaches: 0.75
# Unusual: five warm restarts, each throws the loss back up on purpose; evaluation only ever computes accuracy.
"""Gesture recognition from an accelerometer; convolutional net; the snapshots at the end of every cosine cycle are averaged."""
import copy
import os

import torch
import torch.nn.functional as F

torch.set_num_threads(1)
seed = int(os.environ.get("SEED", 0))
torch.manual_seed(seed)

N_CLASS, T, CH = 8, 40, 3
proto = torch.cumsum(torch.randn(N_CLASS, CH, 6), -1)
proto = F.interpolate(proto, size=T, mode="linear", align_corners=True)
proto = proto - proto.mean(-1, keepdim=True)


def perform(n):
    y = torch.randint(N_CLASS, (n,))
    warp = torch.linspace(0, 1, T)[None] ** torch.exp(0.35 * torch.randn(n, 1))      # everyone has an own tempo
    pos = warp * (T - 1)
    lo = pos.floor().long().clamp(max=T - 2)
    w = (pos - lo)[:, None]
    p = proto[y]
    lo = lo[:, None].expand(-1, CH, -1)
    x = p.gather(2, lo) * (1 - w) + p.gather(2, lo + 1) * w
    rot = torch.linalg.qr(torch.eye(3) + 0.25 * torch.randn(n, 3, 3))[0]
    rot = rot * torch.diagonal(rot, dim1=1, dim2=2).sign()[:, None]                   # keep axes upright
    return rot @ x + 1.8 * torch.randn(n, CH, T), y


def make():
    nn = torch.nn
    return nn.Sequential(nn.Conv1d(CH, 32, 7, padding=3), nn.BatchNorm1d(32), nn.ReLU(), nn.MaxPool1d(2),
                         nn.Conv1d(32, 48, 5, padding=2), nn.BatchNorm1d(48), nn.ReLU(), nn.AdaptiveAvgPool1d(4),
                         nn.Flatten(), nn.Dropout(0.3), nn.Linear(192, N_CLASS))


xtr, ytr = perform(1600)
xte, yte = perform(1600)
net = make()
opt = torch.optim.SGD(net.parameters(), lr=0.15, momentum=0.9, nesterov=True, weight_decay=1e-3)
CYCLE, CYCLES, B = 125, 5, 32
sched = torch.optim.lr_scheduler.CosineAnnealingWarmRestarts(opt, T_0=CYCLE, eta_min=1e-4)


def probs(m):
    m.eval()
    with torch.no_grad():
        return m(xte).softmax(1)


snaps = []
for cycle in range(CYCLES):
    for k in range(CYCLE):
        net.train()
        i = torch.randint(len(xtr), (B,))
        loss = F.cross_entropy(net(xtr[i]), ytr[i])
        opt.zero_grad()
        loss.backward()
        opt.step()
        sched.step()
        if k % 25 == 0:
            print(f"cycle {cycle} it {k} lr {opt.param_groups[0]['lr']:.4f} loss {loss.item():.4f}")
    snaps.append(copy.deepcopy(net))
    one = (probs(net).argmax(1) == yte).float().mean().item()
    ens = (sum(probs(s) for s in snaps).argmax(1) == yte).float().mean().item()
    print(f"cycle {cycle} done: single {one:.4f} ensemble {ens:.4f}")

print("majority:", round((yte == ytr.bincount().argmax()).float().mean().item(), 3))
print(f"result: accuracy {ens:.4f}")
