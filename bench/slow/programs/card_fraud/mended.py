"""Which card payments are fraud? Payments come as a CSV file with a time, a merchant, a country and an amount."""
import csv
import hashlib
import math
import os
import random
import tempfile
import time
from datetime import datetime, timedelta

import torch
import torch.nn as nn
from torch.utils.data import DataLoader, Dataset

COUNTRIES = ["DE", "FR", "ES", "IT", "PL", "NL", "SE", "PT"]
BUCKETS = 64


def write_csv(path, rows=12000):
    rng = random.Random(5)
    start = datetime(2024, 1, 1)
    with open(path, "w", newline="") as f:
        writer = csv.writer(f)
        writer.writerow(["time", "merchant", "country", "amount", "fraud"])
        for _ in range(rows):
            when = start + timedelta(seconds=rng.randrange(365 * 86400))
            merchant = f"shop-{rng.randrange(40):03d}"
            country = rng.choice(COUNTRIES)
            amount = math.exp(rng.gauss(3.2, 1.1))
            score = 1.3 * (when.hour < 6) + 0.8 * (math.log(amount) - 3.2) + 1.2 * (country in ("SE", "PT")) - 0.9 + 1.2 * (merchant[-1] in "37")
            writer.writerow([when.isoformat(sep=" "), merchant, country, f"{amount:.2f}", int(rng.random() < 1 / (1 + math.exp(-2 * score)))])


def encode(row):
    when = datetime.strptime(row["time"], "%Y-%m-%d %H:%M:%S")
    features = []
    for value, period in ((when.hour + when.minute / 60, 24), (when.weekday(), 7), (when.timetuple().tm_yday, 366)):
        features.append(math.sin(2 * math.pi * value / period))
        features.append(math.cos(2 * math.pi * value / period))
    features.append((math.log(float(row["amount"])) - 3.2) / 1.1)
    features.extend([1.0 if row["country"] == c else 0.0 for c in COUNTRIES])
    bucket = int(hashlib.md5(row["merchant"].encode()).hexdigest(), 16) % BUCKETS
    features.extend([1.0 if bucket == b else 0.0 for b in range(BUCKETS)])
    return torch.tensor(features, dtype=torch.float32)


class Payments(Dataset):
    def __init__(self, path):
        with open(path, newline="") as f:
            rows = list(csv.DictReader(f))
        self.features = torch.stack([encode(row) for row in rows])
        self.fraud = torch.tensor([float(row["fraud"]) for row in rows])

    def __len__(self):
        return len(self.fraud)

    def __getitem__(self, index):
        return self.features[index], self.fraud[index]


class FraudNet(nn.Module):
    def __init__(self, inputs, width=256):
        super().__init__()
        self.body = nn.Sequential(
            nn.Linear(inputs, width), nn.ReLU(), nn.Dropout(0.1),
            nn.Linear(width, width), nn.ReLU(), nn.Dropout(0.1),
        )
        self.out = nn.Linear(width, 1)

    def forward(self, x):
        return self.out(self.body(x)).squeeze(-1)


class Trainer:
    def __init__(self, net, data, epochs=26, batch_size=128, lr=5e-4):
        self.net, self.epochs = net, epochs
        self.loader = DataLoader(data, batch_size=batch_size, shuffle=True)
        self.opt = torch.optim.Adam(net.parameters(), lr=lr)
        self.loss = nn.BCEWithLogitsLoss()

    def step(self, x, y):
        self.opt.zero_grad()
        loss = self.loss(self.net(x), y)
        loss.backward()
        self.opt.step()
        return loss.detach()

    def run(self):
        began = time.monotonic()
        for epoch in range(self.epochs):
            total = sum(self.step(x, y) for x, y in self.loader)
            print("epoch", epoch, "bce", round(float(total) / len(self.loader), 4))
        print(f"trained for {time.monotonic() - began:.1f} s")


if __name__ == "__main__":
    torch.manual_seed(0)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "payments.csv")
        write_csv(path)
        data = Payments(path)
    Trainer(FraudNet(data[0][0].numel()), data).run()
