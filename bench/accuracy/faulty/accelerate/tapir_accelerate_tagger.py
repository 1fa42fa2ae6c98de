# fault: clip-too-tight
# cause_class: optimizer, learning-rate
# family: accelerate
# split: held
# needs: accelerate
import os
from types import SimpleNamespace

import torch
from accelerate import Accelerator
from accelerate.utils import set_seed
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

cfg = SimpleNamespace(vocab=50, tags=6, length=16, width=32, batch=32, epochs=4, lr=0.1, momentum=0.9, max_norm=1e-5)
set_seed(int(os.environ.get("SEED", 0)))


def corpus(n):
    words = torch.randint(0, cfg.vocab, (n, cfg.length))
    prev = torch.cat([torch.zeros(n, 1, dtype=torch.long), words[:, :-1]], 1)
    tags = (words % 3) + 3 * (prev < cfg.vocab // 2).long()
    return TensorDataset(words, tags)


class Tagger(nn.Module):
    def __init__(self):
        super().__init__()
        self.emb = nn.Embedding(cfg.vocab, cfg.width)
        self.lstm = nn.LSTM(cfg.width, cfg.width // 2, bidirectional=True, batch_first=True)
        self.cls = nn.Linear(cfg.width, cfg.tags)

    def forward(self, w):
        return self.cls(self.lstm(self.emb(w))[0])


def main():
    acc = Accelerator(cpu=True)
    model = Tagger()
    opt = torch.optim.SGD(model.parameters(), lr=cfg.lr, momentum=cfg.momentum)
    train, val = DataLoader(corpus(1600), cfg.batch, shuffle=True), DataLoader(corpus(300), 100)
    sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, cfg.epochs * len(train))
    model, opt, train, val, sched = acc.prepare(model, opt, train, val, sched)
    ce = nn.CrossEntropyLoss()
    for epoch in range(cfg.epochs):
        model.train()
        total = 0.0
        for w, t in train:
            with acc.accumulate(model):
                loss = ce(model(w).flatten(0, 1), t.flatten())
                acc.backward(loss)
                if acc.sync_gradients:
                    acc.clip_grad_norm_(model.parameters(), cfg.max_norm)
                opt.step()
                sched.step()
                opt.zero_grad()
            total += loss.item()
        model.eval()
        right = count = 0
        with torch.no_grad():
            for w, t in val:
                pred, t = acc.gather_for_metrics((model(w).argmax(-1), t))
                right += (pred == t).sum().item()
                count += t.numel()
        acc.print(f"epoch {epoch}: loss {total / len(train):.4f} tag accuracy {right / count:.3f}")


main()
