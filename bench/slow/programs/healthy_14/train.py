"""Learns to continue the path of a pedestrian; the decoder feeds its own answer back, so its steps come one after the other."""
import time

import torch
import torch.nn as nn


class PathModel(nn.Module):
    def __init__(self, hidden=320):
        super().__init__()
        self.encoder = nn.GRU(2, hidden, batch_first=True)
        self.cell = nn.GRUCell(2, hidden)
        self.out = nn.Linear(hidden, 2)

    def forward(self, past, steps, truth=None, trust=0.0):
        _, h = self.encoder(past)
        h = h[0]
        move = past[:, -1]
        answer = []
        for t in range(steps):
            h = self.cell(move, h)
            move = self.out(h)
            answer.append(move)
            if truth is not None and torch.rand(()) < trust:
                move = truth[:, t]
        return torch.stack(answer, 1)


def walks(n, length=40):
    """Moves, not places: a speed and a heading that turn towards a goal of their own."""
    heading = 6.28 * torch.rand(n)
    goal = 6.28 * torch.rand(n)
    speed = 0.6 + 0.8 * torch.rand(n)
    rows = []
    for _ in range(length):
        heading = heading + 0.12 * torch.sin(goal - heading) + 0.03 * torch.randn(n)
        rows.append(torch.stack([speed * heading.cos(), speed * heading.sin()], 1))
    return torch.stack(rows, 1) + 0.03 * torch.randn(n, length, 2)


torch.manual_seed(9)
data = walks(5632)
model = PathModel()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
EPOCHS = 3
start = time.time()
for epoch in range(EPOCHS):
    trust = 0.8 * (1 - epoch / EPOCHS)
    total = 0.0
    for idx in torch.randperm(len(data)).split(256):
        path = data[idx]
        past, future = path[:, :20], path[:, 20:]
        loss = nn.functional.mse_loss(model(past, 20, future, trust), future)
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        total += loss.item()
    print(f"epoch {epoch}: {total / 22:.5f} trust {trust:.2f} {time.time() - start:.1f} s")
