import logging
import math
import os
import sys
import tempfile
import time

import torch
from torch import nn

torch.set_printoptions(precision=5, threshold=20000, linewidth=160)


def setup_logging(path):
    logger = logging.getLogger("tides")
    logger.setLevel(logging.DEBUG)
    handler = logging.FileHandler(path)
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(message)s"))
    logger.addHandler(handler)
    screen = logging.StreamHandler(sys.stdout)
    screen.setLevel(logging.INFO)
    logger.addHandler(screen)
    return logger


def tide_table(hours, seed):
    """Level of the water at eight harbours, hour by hour."""
    g = torch.Generator().manual_seed(seed)
    t = torch.arange(hours, dtype=torch.float32)
    level = torch.zeros(8, hours)
    for period in (12.42, 12.0, 23.93, 25.82):
        amplitude = torch.rand(8, 1, generator=g) + 0.2
        phase = 2 * math.pi * torch.rand(8, 1, generator=g)
        level += amplitude * torch.sin(2 * math.pi * t / period + phase)
    return level + 0.15 * torch.randn(8, hours, generator=g)


class TideNet(nn.Module):
    def __init__(self, past=96, ahead=24, harbours=8, width=160):
        super().__init__()
        self.ahead, self.harbours = ahead, harbours
        self.inp = nn.Linear(past * harbours, width)
        self.hidden = nn.ModuleList([nn.Linear(width, width) for _ in range(3)])
        self.out = nn.Linear(width, ahead * harbours)

    def forward(self, x):
        h = torch.relu(self.inp(x.flatten(1)))
        for layer in self.hidden:
            h = h + torch.relu(layer(h))
        return self.out(h).view(-1, self.harbours, self.ahead)


def train(logger, steps=2400, batch=32, past=96, ahead=24):
    torch.manual_seed(0)
    table = tide_table(20000, seed=6)
    windows = table.unfold(1, past + ahead, 1).transpose(0, 1)
    model = TideNet(past, ahead)
    optimizer = torch.optim.AdamW(model.parameters(), lr=5e-4)
    for step in range(1, steps + 1):
        window = windows[torch.randint(len(windows), (batch,))]
        x, y = window[..., :past], window[..., past:]
        predicted = model(x)
        loss = nn.functional.mse_loss(predicted, y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if step % 100 == 0:
            logger.debug("step %d loss %.5f predicted %s expected %s", step, loss.item(), predicted[0].detach(), y[0])
            logger.info("step %d of %d, loss %.4f", step, steps, loss.item())


with tempfile.TemporaryDirectory() as folder:
    logger = setup_logging(os.path.join(folder, "tides.log"))
    began = time.perf_counter()
    train(logger)
    logger.info("all done in %.1f s", time.perf_counter() - began)
