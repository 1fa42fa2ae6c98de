import torch
from torch import nn


def train(model, batches):
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    scaler = torch.amp.GradScaler("cpu")
    for _ in range(batches):
        x = torch.randn(64, 8)
        with torch.autocast("cpu", dtype=torch.bfloat16):
            loss = nn.functional.cross_entropy(model(x), x[:, :4].argmax(1))
        scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()


torch.manual_seed(0)
train(nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 4)), 100)
