# fault: softmax-twice
# cause_class: output-activation, loss
# family: accelerate
# split: held
# needs: accelerate
"""Land-use classes from satellite bands."""
import argparse
import os

import torch
from accelerate import Accelerator
from accelerate.utils import set_seed
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class BandNet(nn.Module):
    def __init__(self, bands, hidden, classes, p):
        super().__init__()
        self.stem = nn.Sequential(nn.Linear(bands, hidden), nn.LayerNorm(hidden), nn.GELU())
        self.body = nn.Sequential(nn.Linear(hidden, hidden), nn.GELU(), nn.Dropout(p))
        self.classifier = nn.Linear(hidden, classes)

    def forward(self, x):
        h = self.stem(x)
        h = h + self.body(h)
        return self.classifier(h)

    def predict_proba(self, x):
        return self(x).softmax(dim=1)


def make(n, bands, classes, centers):
    y = torch.randint(0, classes, (n,))
    return TensorDataset(centers[y] + 1.1 * torch.randn(n, bands), y)


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--epochs", type=int, default=5)
    ap.add_argument("--batch-size", type=int, default=64)
    ap.add_argument("--lr", type=float, default=1e-3)
    ap.add_argument("--classes", type=int, default=10)
    ap.add_argument("--bands", type=int, default=12)
    args = ap.parse_args([])

    set_seed(int(os.environ.get("SEED", "0")))
    accelerator = Accelerator(cpu=True)
    centers = torch.randn(args.classes, args.bands)
    train = DataLoader(make(4000, args.bands, args.classes, centers), args.batch_size, shuffle=True)
    valid = DataLoader(make(1000, args.bands, args.classes, centers), 250)
    model = BandNet(args.bands, 64, args.classes, 0.1)
    optimizer = torch.optim.AdamW(model.parameters(), lr=args.lr)
    model, optimizer, train, valid = accelerator.prepare(model, optimizer, train, valid)
    criterion = nn.CrossEntropyLoss()

    for epoch in range(args.epochs):
        model.train()
        for x, y in train:
            optimizer.zero_grad()
            probs = accelerator.unwrap_model(model).predict_proba(x)
            loss = criterion(probs, y)
            accelerator.backward(loss)
            optimizer.step()
        model.eval()
        right = total = 0
        with torch.no_grad():
            for x, y in valid:
                pred, ref = accelerator.gather_for_metrics((model(x).argmax(-1), y))
                right += (pred == ref).sum().item()
                total += len(ref)
        accelerator.print(f"epoch {epoch}: loss {loss.item():.4f} acc {right / total:.3f}")


if __name__ == "__main__":
    main()
