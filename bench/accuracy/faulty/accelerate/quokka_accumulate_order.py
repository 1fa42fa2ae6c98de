# fault: zero-grad-before-step
# cause_class: zero-grad, not-updated, optimizer
# family: accelerate
# split: tune
# needs: accelerate
import argparse
import os
import torch
from torch import nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, Dataset
from accelerate import Accelerator

ap = argparse.ArgumentParser()
ap.add_argument("--accum", type=int, default=2)
ap.add_argument("--lr", type=float, default=3e-3)
ap.add_argument("--epochs", type=int, default=6)
args = ap.parse_args()
torch.manual_seed(int(os.environ.get("SEED", "0")))


class Parity(Dataset):
    """Does the sequence hold more rises than falls?"""

    def __init__(self, n):
        self.x = torch.randn(n, 15).cumsum(1) * 0.4
        d = self.x.diff(dim=1)
        self.y = ((d > 0).float().mean(1) > 0.5).float()

    def __len__(self):
        return len(self.y)

    def __getitem__(self, i):
        return self.x[i], self.y[i]


model = nn.Sequential(nn.Unflatten(1, (1, 15)), nn.Conv1d(1, 16, 3), nn.ReLU(), nn.Flatten(), nn.Linear(16 * 13, 32), nn.ReLU(),
                      nn.Linear(32, 1), nn.Flatten(0))
accelerator = Accelerator(cpu=True, gradient_accumulation_steps=args.accum)
opt = torch.optim.Adam(model.parameters(), lr=args.lr)
train = DataLoader(Parity(2400), 24, shuffle=True)
val = Parity(400)
model, opt, train = accelerator.prepare(model, opt, train)
for epoch in range(args.epochs):
    model.train()
    running = 0.0
    for x, y in train:
        with accelerator.accumulate(model):
            loss = F.binary_cross_entropy_with_logits(model(x), y)
            accelerator.backward(loss)
            opt.zero_grad()
            if accelerator.sync_gradients:
                accelerator.clip_grad_norm_(model.parameters(), 1.0)
            opt.step()
        running += loss.item()
    model.eval()
    with torch.no_grad():
        acc = ((model(val.x) > 0).float() == val.y).float().mean()
    print(f"epoch {epoch} loss {running / len(train):.4f} acc {acc:.3f}")
