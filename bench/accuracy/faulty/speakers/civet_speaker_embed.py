# fault: running-statistics
# cause_class: eval-mode, structure
# family: speakers
# split: held
# x-vector-like speaker id on log-mel patches (dB)
import os
import torch as th
import torch.nn as nn
import torch.nn.functional as F

th.manual_seed(int(os.environ.get('SEED', 0)))
N_SPK, MELS, FRAMES = 16, 24, 30

timbre = 6 * th.randn(N_SPK, MELS)
wobble = th.randn(N_SPK, MELS)

def record(n):
    spk = th.randint(N_SPK, (n,))
    phase = 6.28 * th.rand(n, 1, 1)
    t = th.arange(FRAMES)[None, None] / 5.
    x = -38 + timbre[spk][:, :, None] + 5 * wobble[spk][:, :, None] * th.sin(t + phase)
    x = x + 7 * th.randn(n, MELS, FRAMES) + 5 * th.randn(n, 1, 1)     # gain differs between calls
    return x, spk

def tdnn(cin, cout, k, d):
    return nn.Sequential(nn.Conv1d(cin, cout, k, dilation=d), nn.ReLU(), nn.BatchNorm1d(cout, eps=1e-3, momentum=0.001))

class XVector(nn.Module):
    def __init__(self, ch=32, emb=32):
        super().__init__()
        self.frame = nn.Sequential(tdnn(MELS, ch, 5, 1), tdnn(ch, ch, 3, 2), tdnn(ch, ch, 3, 3))
        self.emb = nn.Linear(2 * ch, emb)
        self.cls = nn.Linear(emb, N_SPK)

    def forward(self, x):
        h = self.frame(x)
        stats = th.cat([h.mean(2), h.std(2)], 1)
        return self.cls(F.relu(self.emb(stats)))

train_x, train_y = record(1500)
val_x, val_y = record(400)
net = XVector()
opt = th.optim.SGD(net.parameters(), lr=0.03, momentum=0.9, nesterov=True, weight_decay=1e-4)
sched = th.optim.lr_scheduler.MultiStepLR(opt, [3], gamma=0.2)
for epoch in range(3):
    net.train()
    hits, run = 0, 0.
    for b in th.randperm(1500).split(50):
        with th.autocast('cpu', dtype=th.bfloat16):
            logits = net(train_x[b])
        loss = F.cross_entropy(logits.float(), train_y[b])
        opt.zero_grad()
        loss.backward()
        opt.step()
        hits += (logits.argmax(1) == train_y[b]).sum().item()
        run += loss.item()
    sched.step()
    net.eval()
    with th.inference_mode():
        vl = net(val_x)
        print(f'{epoch} loss {run / 30:.3f} train acc {hits / 1500:.3f} | dev loss {F.cross_entropy(vl, val_y):.3f} '
              f'acc {(vl.argmax(1) == val_y).float().mean():.3f}')
