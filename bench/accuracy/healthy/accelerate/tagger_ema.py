# fault: none
# family: accelerate
# split: tune
# needs: accelerate
import os

import torch
import torch.nn as nn
from accelerate import Accelerator
from accelerate.utils import set_seed
from torch.optim.swa_utils import AveragedModel, get_ema_multi_avg_fn
from torch.utils.data import DataLoader, TensorDataset

IGNORE = -100


def sentences(n, t=14):
    x = torch.randint(1, 20, (n, t))
    length = torch.randint(7, t + 1, (n, 1))
    prev = torch.roll(x, 1, 1)
    prev[:, 0] = 0
    y = torch.where(x % 3 == 0, 2, (x > prev).long())
    pad = torch.arange(t) >= length
    return TensorDataset(x.masked_fill(pad, 0), y.masked_fill(pad, IGNORE))


class Tagger(nn.Module):
    def __init__(self, d=40):
        super().__init__()
        self.emb = nn.Embedding(20, d, padding_idx=0)
        self.pos = nn.Embedding(14, d)
        layer = nn.TransformerEncoderLayer(d, 4, 80, dropout=0.1, batch_first=True, norm_first=True, activation="gelu")
        self.enc = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)
        self.out = nn.Linear(d, 3)

    def forward(self, x):
        return self.out(self.enc(self.emb(x) + self.pos.weight, src_key_padding_mask=x == 0))


def accuracy(model, loader):
    model.eval()
    good = n = 0
    with torch.no_grad():
        for x, y in loader:
            m = y != IGNORE
            good += (model(x).argmax(-1) == y)[m].sum().item()
            n += m.sum().item()
    return good / n


set_seed(int(os.environ.get("SEED", 0)))
acc = Accelerator(cpu=True)
model = Tagger()
opt = torch.optim.AdamW(model.parameters(), lr=3e-3)
sched = torch.optim.lr_scheduler.LambdaLR(opt, lambda s: min(1.0, (s + 1) / 40))
model, opt, train, valid, sched = acc.prepare(model, opt, DataLoader(sentences(1600), 32, shuffle=True), DataLoader(sentences(200), 100), sched)
ema = AveragedModel(acc.unwrap_model(model), multi_avg_fn=get_ema_multi_avg_fn(0.98))
for epoch in range(6):
    model.train()
    tot = 0.0
    for x, y in train:
        loss = nn.functional.cross_entropy(model(x).flatten(0, 1), y.flatten(), ignore_index=IGNORE)
        acc.backward(loss)
        acc.clip_grad_norm_(model.parameters(), 0.3)
        opt.step()
        sched.step()
        opt.zero_grad()
        ema.update_parameters(acc.unwrap_model(model))
        tot += loss.item()
    acc.print(f"epoch {epoch} loss {tot / len(train):.4f} acc {accuracy(model, valid):.3f} ema acc {accuracy(ema, valid):.3f}")
