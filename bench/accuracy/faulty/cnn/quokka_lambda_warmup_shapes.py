# fault: learning-rate-too-low
# cause_class: learning-rate, optimizer
# family: cnn
# split: tune
import argparse, math, os
import torch
import torch.nn as nn
import torch.nn.functional as F

parser = argparse.ArgumentParser()
parser.add_argument("--lr", type=float, default=1e-3)
parser.add_argument("--steps", type=int, default=250)
parser.add_argument("--warmup", type=int, default=20)
parser.add_argument("--bs", type=int, default=32)
args = parser.parse_args()
torch.manual_seed(int(os.environ.get("SEED", "0")))


def draw(n):
    """Bars, columns and blobs on a 12x12 field."""
    img = 0.3 * torch.randn(n, 1, 12, 12)
    lab = torch.randint(0, 3, (n,))
    for k in range(n):
        r = int(torch.randint(2, 10, (1,)))
        if lab[k] == 0:
            img[k, 0, r] += 1.5
        elif lab[k] == 1:
            img[k, 0, :, r] += 1.5
        else:
            img[k, 0, r - 2:r + 2, r - 2:r + 2] += 1.5
    return img, lab


def schedule(step):
    if step < args.warmup:
        return args.lr * (step + 1) / args.warmup
    t = (step - args.warmup) / max(1, args.steps - args.warmup)
    return args.lr * 0.5 * (1 + math.cos(math.pi * t))


class Small(nn.Module):
    def __init__(self):
        super().__init__()
        self.c1 = nn.Conv2d(1, 8, 3, padding=1)
        self.c2 = nn.Conv2d(8, 16, 3, padding=1)
        self.fc = nn.Linear(16 * 9, 3)

    def forward(self, x):
        x = F.max_pool2d(F.relu(self.c1(x)), 2)
        x = F.max_pool2d(F.relu(self.c2(x)), 2)
        return self.fc(x.flatten(1))


xtr, ytr = draw(1200)
xte, yte = draw(300)
model = Small()
opt = torch.optim.Adam(model.parameters(), lr=args.lr)
sched = torch.optim.lr_scheduler.LambdaLR(opt, schedule)
for step in range(args.steps):
    idx = torch.randint(0, len(xtr), (args.bs,))
    loss = F.cross_entropy(model(xtr[idx]), ytr[idx])
    opt.zero_grad()
    loss.backward()
    opt.step()
    sched.step()
    if step % 50 == 49:
        model.eval()
        with torch.no_grad():
            out = model(xte)
            print(f"{step + 1:5d} train {loss.item():.4f} test {F.cross_entropy(out, yte):.4f} acc {(out.argmax(1) == yte).float().mean():.3f}")
        model.train()
