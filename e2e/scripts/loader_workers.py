"""Data-loader workers: two processes that load and never train."""

import torch
from common import STEPS, Report, blobs
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def main():
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(20, 32), nn.ReLU(), nn.Linear(32, 5))
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    criterion = nn.CrossEntropyLoss()
    report = Report(model)
    loader = DataLoader(TensorDataset(*blobs(640, 20, 5)), batch_size=32, shuffle=True, num_workers=2)
    done = 0
    while done < STEPS:
        for a, b in loader:
            optimizer.zero_grad()
            loss = criterion(model(a), b)
            loss.backward()
            optimizer.step()
            report.step(loss.item())
            done += 1
    report.done()


if __name__ == "__main__":
    main()
