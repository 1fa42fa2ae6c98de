# fault: train-in-eval-mode
# cause_class: eval-mode
# family: audio
# split: held
import os
import math
import torch
import torch.nn as nn
import torch.nn.functional as F

seed = int(os.environ.get("SEED", "0"))
torch.manual_seed(seed)


def synth(n, length=1024):
    y = torch.randint(0, 5, (n,))
    t = torch.arange(length) / length
    f = torch.tensor([20., 28., 40., 52., 66.])[y] * (1 + 0.08 * torch.randn(n))
    harm = torch.tensor([[1, .2, .1], [1, .9, .1], [.3, 1, .6], [1, .1, .9], [.6, .6, .6]])[y]
    w = sum(harm[:, k:k + 1] * torch.sin(2 * math.pi * (k + 1) * f[:, None] * t + 6.28 * torch.rand(n, 1)) for k in range(3))
    return w + 0.9 * torch.randn(n, length), y


def log_spec(w):
    s = torch.stft(w, 128, hop_length=64, window=torch.hann_window(128), return_complex=True).abs()
    s = torch.log1p(s[:, :64])
    return ((s - s.mean()) / s.std()).unsqueeze(1)


class GenreNet(nn.Module):
    def __init__(self):
        super().__init__()
        chans = [1, 12, 24, 32]
        self.convs = nn.ModuleList([nn.Conv2d(a, b, 3, stride=2, padding=1, bias=False) for a, b in zip(chans, chans[1:])])
        self.bns = nn.ModuleList([nn.BatchNorm2d(b) for b in chans[1:]])
        self.drop = nn.Dropout(0.4)
        self.fc = nn.Linear(32, 5)

    def forward(self, x):
        for c, b in zip(self.convs, self.bns):
            x = F.relu(b(c(x)))
        return self.fc(self.drop(x.mean((2, 3))))


def evaluate(model, x, y):
    model.eval()
    with torch.no_grad():
        out = model(x)
    return F.cross_entropy(out, y).item(), (out.argmax(1) == y).float().mean().item()


def train_epoch(model, opt, x, y, bs=32):
    total = 0.0
    for idx in torch.randperm(len(x)).split(bs):
        opt.zero_grad()
        loss = F.cross_entropy(model(x[idx]), y[idx])
        loss.backward()
        opt.step()
        total += loss.item() * len(idx)
    return total / len(x)


w, y = synth(900)
x = log_spec(w)
x_tr, y_tr, x_va, y_va = x[:700], y[:700], x[700:], y[700:]
model = GenreNet()
model.train()
opt = torch.optim.AdamW(model.parameters(), lr=1e-3, weight_decay=1e-2)
print("before training: val", evaluate(model, x_va, y_va))
for epoch in range(8):
    tl = train_epoch(model, opt, x_tr, y_tr)
    vl, va = evaluate(model, x_va, y_va)
    print(f"epoch {epoch} train {tl:.4f} val {vl:.4f} acc {va:.3f} "
          f"running mean of first norm {model.bns[0].running_mean.abs().sum().item():.3f}")
