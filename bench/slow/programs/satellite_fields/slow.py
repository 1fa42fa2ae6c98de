import json
import os
import tempfile
import time

import torch
import torch.nn as nn


def crops(n, seed):
    """Fields seen in six bands over the year; five kinds of crop with a calendar of their own."""
    g = torch.Generator().manual_seed(seed)
    y = torch.randint(0, 5, (n,), generator=g)
    weeks = torch.linspace(0, 1, 24)
    peak = 0.25 + 0.12 * y[:, None] + 0.05 * torch.randn(n, 1, generator=g)
    season = torch.exp(-((weeks - peak) ** 2) / 0.02)
    bands = torch.tensor([0.4, 0.6, 0.3, 1.0, 0.8, 0.5])
    x = season[:, None, :] * bands[:, None] + 0.35 * torch.randn(n, 6, 24, generator=g)
    return x.flatten(1) * 2, y


class RunLog:
    """Writes what happens in training to a file, one JSON object a line."""

    def __init__(self, path):
        self.file = open(path, "w")

    def write(self, step, model, loss):
        row = {"step": step, "loss": loss.item(), "layers": {}}
        for name, p in model.named_parameters():
            histogram = torch.histc(p.detach(), bins=40)
            grads = torch.histc(p.grad, bins=40)
            row["layers"][name] = {
                "weight": [histogram.tolist(), p.min().item(), p.max().item(), p.mean().item(), p.std().item()],
                "grad": [grads.tolist(), p.grad.min().item(), p.grad.max().item(), p.grad.mean().item(), p.grad.std().item()],
                "median": p.detach().flatten().median().item(),
                "zeros": (p.grad == 0).float().mean().item(),
            }
        self.file.write(json.dumps(row) + "\n")
        self.file.flush()

    def close(self):
        self.file.close()


class CropNet(nn.Module):
    def __init__(self, width=256):
        super().__init__()
        self.fc1 = nn.Linear(144, width)
        self.fc2 = nn.Linear(width, width)
        self.fc3 = nn.Linear(width, width)
        self.out = nn.Linear(width, 5)
        self.drop = nn.Dropout(0.2)

    def forward(self, x):
        x = self.drop(torch.relu(self.fc1(x)))
        x = self.drop(torch.relu(self.fc2(x)))
        x = self.drop(torch.relu(self.fc3(x)))
        return self.out(x)


class Trainer:
    def __init__(self, model, log, lr=1e-3):
        self.model = model
        self.log = log
        self.opt = torch.optim.Adam(model.parameters(), lr=lr)
        self.criterion = nn.CrossEntropyLoss()
        self.global_step = 0

    def fit(self, x, y, x_val, y_val, epochs, batch_size):
        for epoch in range(epochs):
            self.model.train()
            for ids in torch.randperm(len(x)).split(batch_size):
                loss = self.criterion(self.model(x[ids]), y[ids])
                self.opt.zero_grad()
                loss.backward()
                self.opt.step()
                self.global_step += 1
                self.log.write(self.global_step, self.model, loss)
            self.model.eval()
            with torch.no_grad():
                acc = (self.model(x_val).argmax(1) == y_val).float().mean().item()
            print(f"epoch {epoch + 1} val acc {acc:.3f}")


if __name__ == "__main__":
    torch.manual_seed(8)
    x, y = crops(25600, seed=0)
    x_val, y_val = crops(1000, seed=1)
    with tempfile.TemporaryDirectory() as folder:
        log = RunLog(os.path.join(folder, "train.jsonl"))
        trainer = Trainer(CropNet(), log)
        t = time.time()
        trainer.fit(x, y, x_val, y_val, epochs=8, batch_size=128)
        t = time.time() - t
        log.close()
    print(f"fit took {t:.1f} s")
