# fault: none
# family: cnn
# split: held
"""Handwritten 8x8 digits, a small Trainer with early stopping and the best state kept in a temporary folder."""
import logging
import os
import tempfile

import torch
from sklearn.datasets import load_digits
from torch import nn
from torch.utils.data import DataLoader, TensorDataset, random_split

logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s")
log = logging.getLogger(__name__)


class Trainer:
    def __init__(self, model, train, valid, folder, patience=3):
        self.model, self.train_loader, self.valid_loader = model, train, valid
        self.path = os.path.join(folder, "best.pt")
        self.patience = patience
        self.opt = torch.optim.AdamW(model.parameters(), lr=2e-3, weight_decay=0.01)
        self.loss = nn.CrossEntropyLoss(label_smoothing=0.1)

    def run(self, max_epochs):
        best, bad = float("inf"), 0
        for epoch in range(max_epochs):
            self.model.train()
            total = 0.0
            for x, y in self.train_loader:
                self.opt.zero_grad()
                loss = self.loss(self.model(x), y)
                loss.backward()
                self.opt.step()
                total += loss.item() / len(self.train_loader)
            val, acc = self.evaluate()
            log.info("epoch %d train %.4f val %.4f acc %.3f", epoch, total, val, acc)
            if val < best - 1e-4:
                best, bad = val, 0
                torch.save(self.model.state_dict(), self.path)
            else:
                bad += 1
                if bad >= self.patience:
                    log.info("no progress, stop")
                    break
        self.model.load_state_dict(torch.load(self.path))
        return self.evaluate()

    @torch.no_grad()
    def evaluate(self):
        self.model.eval()
        n = loss = right = 0
        for x, y in self.valid_loader:
            o = self.model(x)
            loss += self.loss(o, y).item() * len(y)
            right += (o.argmax(1) == y).sum().item()
            n += len(y)
        return loss / n, right / n


if __name__ == "__main__":
    torch.manual_seed(int(os.environ.get("SEED", 0)))
    d = load_digits()
    x = torch.tensor(d.images, dtype=torch.float32).unsqueeze(1) / 8 - 1
    tr, va = random_split(TensorDataset(x, torch.tensor(d.target)), [1400, len(x) - 1400])
    net = nn.Sequential(nn.Conv2d(1, 16, 3, padding=1), nn.BatchNorm2d(16), nn.ReLU(), nn.MaxPool2d(2),
                        nn.Conv2d(16, 24, 3, padding=1), nn.ReLU(), nn.Flatten(), nn.Dropout(0.3), nn.Linear(384, 10))
    with tempfile.TemporaryDirectory() as folder:
        result = Trainer(net, DataLoader(tr, 40, shuffle=True), DataLoader(va, 200), folder).run(12)
    log.info("best val %.4f acc %.3f", *result)
