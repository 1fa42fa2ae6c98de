# fault: none
# family: accelerate
# split: held
# needs: accelerate
"""Tags of articles from sparse word counts; micro-batches of 16, an update every 4."""
import os

import torch
from accelerate import Accelerator
from accelerate.utils import set_seed
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

WORDS, TAGS, MICRO, ACCUM = 400, 12, 16, 4


def articles(n, topics):
    tags = (torch.rand(n, TAGS) < 0.15).float()
    rate = 0.02 + tags @ topics
    counts = torch.poisson(rate)
    return TensorDataset(torch.log1p(counts), tags)


class Tagger(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(WORDS, 64), nn.ReLU(), nn.Dropout(0.1))
        self.out = nn.Linear(64, TAGS)

    def forward(self, x):
        return self.out(self.body(x))


def main():
    set_seed(int(os.environ.get("SEED", "0")))
    accelerator = Accelerator(cpu=True, gradient_accumulation_steps=ACCUM)
    topics = (torch.rand(TAGS, WORDS) < 0.04).float() * 0.6
    train = DataLoader(articles(3200, topics), MICRO, shuffle=True)
    valid = DataLoader(articles(500, topics), 250)
    model = Tagger()
    optimizer = torch.optim.AdamW(model.parameters(), lr=4e-3)
    scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=5 * len(train) // ACCUM)
    model, optimizer, train, valid, scheduler = accelerator.prepare(model, optimizer, train, valid, scheduler)
    criterion = nn.BCEWithLogitsLoss(reduction="none")
    for epoch in range(5):
        model.train()
        total = 0.0
        for x, y in train:
            with accelerator.accumulate(model):
                loss = criterion(model(x), y).sum(1).mean()
                accelerator.backward(loss)
                if accelerator.sync_gradients:
                    accelerator.clip_grad_norm_(model.parameters(), 1.0)
                optimizer.step()
                scheduler.step()
                optimizer.zero_grad()
            total += loss.item()
        model.eval()
        tp = fp = fn = 0
        with torch.no_grad():
            for x, y in valid:
                guess, y = accelerator.gather_for_metrics((model(x) > 0, y > 0.5))
                tp, fp, fn = tp + (guess & y).sum().item(), fp + (guess & ~y).sum().item(), fn + (~guess & y).sum().item()
        accelerator.print(f"epoch {epoch} loss {total / len(train):.4f} f1 {2 * tp / max(1, 2 * tp + fp + fn):.3f}")


if __name__ == "__main__":
    main()
