# fault: learning-rate-too-low
# cause_class: learning-rate, optimizer
# family: accelerate
# split: held
# needs: accelerate
"""Skill extraction (token tagging) with Accelerate, gradient accumulation and a decay per epoch."""
import os
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
from accelerate import Accelerator
from accelerate.utils import set_seed

set_seed(int(os.environ.get("SEED", 0)))
VOCAB, LENGTH, TAGS = 120, 16, 3      # O, B-SKILL, I-SKILL


def make(n):
    x = torch.randint(20, VOCAB, (n, LENGTH))
    for _ in range(2):
        start = torch.randint(1, LENGTH - 3, (n,))
        rows = torch.arange(n)
        x[rows, start - 1] = torch.randint(0, 20, (n,))       # "experience with", "skilled in", ...
    trig = x < 20
    tags = torch.zeros_like(x)
    tags[:, 1:][trig[:, :-1]] = 1
    second = torch.zeros_like(trig)
    second[:, 2:] = trig[:, :-2] & (x[:, :-2] % 2 == 0)
    tags[second & (tags == 0)] = 2
    return TensorDataset(x, tags)


class Tagger(nn.Module):
    def __init__(self):
        super().__init__()
        self.emb = nn.Embedding(VOCAB, 24)
        self.lstm = nn.LSTM(24, 24, bidirectional=True, batch_first=True)
        self.out = nn.Linear(48, TAGS)

    def forward(self, x):
        return self.out(self.lstm(self.emb(x))[0])


acc = Accelerator(cpu=True, gradient_accumulation_steps=2)
model = Tagger()
opt = torch.optim.AdamW(model.parameters(), lr=4e-3)
train = DataLoader(make(1600), batch_size=20, shuffle=True)
test = DataLoader(make(400), batch_size=200)
sched = torch.optim.lr_scheduler.ExponentialLR(opt, gamma=0.8)
model, opt, train, test = acc.prepare(model, opt, train, test)
loss_fn = nn.CrossEntropyLoss()
for epoch in range(7):
    model.train()
    for x, y in train:
        with acc.accumulate(model):
            loss = loss_fn(model(x).transpose(1, 2), y)
            acc.backward(loss)
            if acc.sync_gradients:
                acc.clip_grad_norm_(model.parameters(), 1.0)
            opt.step()
            opt.zero_grad()
            sched.step()
    model.eval()
    tp = fp = fn = 0
    with torch.no_grad():
        for x, y in test:
            p = model(x).argmax(-1)
            tp += ((p == y) & (y > 0)).sum().item()
            fp += ((p > 0) & (p != y)).sum().item()
            fn += ((y > 0) & (p != y)).sum().item()
    acc.print(f"epoch {epoch} loss {loss.item():.4f} F1 {2 * tp / max(1, 2 * tp + fp + fn):.3f}")
