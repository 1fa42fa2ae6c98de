"""Bids for advertising space: a wide network over hashed features, with a log that is written now and then."""
import csv
import os
import tempfile
import time

import torch
from torch import nn

LOG_EVERY = 40


class Log:
    """One line of a CSV file and one line on the screen every LOG_EVERY steps."""

    def __init__(self, path):
        self.file = open(path, "w", newline="")
        self.writer = csv.writer(self.file)
        self.writer.writerow(["step", "loss", "grad_norm", "clicks", "seconds"])
        self.start = time.time()

    def write(self, step, loss, norm, clicks):
        seconds = time.time() - self.start
        self.writer.writerow([step, f"{loss:.5f}", f"{norm:.4f}", f"{clicks:.4f}", f"{seconds:.2f}"])
        self.file.flush()
        print(f"step {step:4d}  loss {loss:.4f}  |g| {norm:.3f}  clicks {clicks:.3f}  {seconds:.1f} s")


class Wide(nn.Module):
    def __init__(self, buckets=5000, fields=16, dim=24):
        super().__init__()
        self.embed = nn.Embedding(buckets * fields, dim)
        self.register_buffer("offset", torch.arange(fields) * buckets)
        self.deep = nn.Sequential(nn.Linear(fields * dim, 512), nn.ReLU(), nn.Linear(512, 256), nn.ReLU(), nn.Linear(256, 1))

    def forward(self, fields):
        return self.deep(self.embed(fields + self.offset).flatten(1)).squeeze(1)


def impressions(n, buckets=5000, fields=16):
    f = (buckets * torch.rand(n, fields) ** 3).long()
    weight = torch.randn(fields, buckets, generator=torch.Generator().manual_seed(1))
    score = weight[torch.arange(fields), f].sum(1) * 0.6 - 1.5
    return f, torch.bernoulli(score.sigmoid())


def main(steps=480, batch=1024):
    torch.manual_seed(12)
    fields, clicks = impressions(200_000)
    model = Wide()
    optimizer = torch.optim.Adagrad(model.parameters(), lr=0.02)
    loss_fn = nn.BCEWithLogitsLoss()
    with tempfile.TemporaryDirectory() as folder:
        log = Log(os.path.join(folder, "log.csv"))
        for step in range(1, steps + 1):
            rows = torch.randint(len(fields), (batch,))
            out = model(fields[rows])
            loss = loss_fn(out, clicks[rows])
            optimizer.zero_grad()
            loss.backward()
            norm = nn.utils.clip_grad_norm_(model.parameters(), 5.0)
            optimizer.step()
            if step % LOG_EVERY == 0:
                log.write(step, loss.item(), norm.item(), out.detach().sigmoid().mean().item())
        log.file.close()


if __name__ == "__main__":
    main()
