# fault: none
# family: accelerate
# split: held
# needs: accelerate
import os

import torch
import torch.nn as nn
from accelerate import Accelerator
from accelerate.utils import set_seed
from torch.utils.data import DataLoader, Dataset

set_seed(int(os.environ.get("SEED", 0)))


class MaxOfSet(Dataset):
    """Which kind does the largest element of the set have? Elements are (kind, size)."""

    def __init__(self, n, m=7):
        self.kind, self.size = torch.randint(0, 5, (n, m)), torch.rand(n, m)
        self.y = self.kind.gather(1, self.size.argmax(1, keepdim=True)).squeeze(1)

    def __len__(self):
        return len(self.y)

    def __getitem__(self, i):
        return self.kind[i], self.size[i], self.y[i]


class SetNet(nn.Module):
    def __init__(self, d=40):
        super().__init__()
        self.kind, self.size = nn.Embedding(5, d), nn.Linear(1, d)
        self.enc = nn.TransformerEncoder(nn.TransformerEncoderLayer(d, 4, 80, 0.0, "gelu", batch_first=True, norm_first=True), 1, enable_nested_tensor=False)
        self.seed = nn.Parameter(torch.randn(1, 1, d) * 0.1)
        self.pool = nn.MultiheadAttention(d, 4, batch_first=True)
        self.out = nn.Linear(d, 5)

    def forward(self, k, s):
        h = self.enc(self.kind(k) + self.size((s.unsqueeze(-1) - 0.5) * 3.4))
        return self.out(self.pool(self.seed.expand(len(k), -1, -1), h, h, need_weights=False)[0].squeeze(1))


acc = Accelerator(cpu=True, mixed_precision="bf16")
train, test = DataLoader(MaxOfSet(3200), 32, shuffle=True), DataLoader(MaxOfSet(600), 200)
model = SetNet()
opt = torch.optim.AdamW(model.parameters(), lr=3e-3, weight_decay=0.01)
sched = torch.optim.lr_scheduler.OneCycleLR(opt, 3e-3, total_steps=4 * len(train))
model, opt, train, test, sched = acc.prepare(model, opt, train, test, sched)
for epoch in range(4):
    model.train()
    s = 0.0
    for k, z, y in train:
        loss = nn.functional.cross_entropy(model(k, z), y)
        acc.backward(loss)
        acc.clip_grad_norm_(model.parameters(), 1.0)
        opt.step()
        sched.step()
        opt.zero_grad()
        s += loss.item()
    model.eval()
    with torch.no_grad():
        ok = sum((model(k, z).argmax(1) == y).sum().item() for k, z, y in test)
    acc.print(f"epoch {epoch} loss {s / len(train):.4f} test acc {ok / 600:.3f}")
