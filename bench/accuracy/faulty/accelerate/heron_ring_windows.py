# fault: zero-grad
# cause_class: zero-grad, optimizer
# family: accelerate
# split: held
# needs: accelerate
import os

import torch
from accelerate import Accelerator
from accelerate.utils import set_seed
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

config = dict(accumulate=4, micro_batch=16, epochs=10, lr=3e-3, hidden=96, seed=int(os.environ.get("SEED", 0)))


def blobs(n):
    """Six kinds on a ring in 2 of 10 dimensions, two arcs each."""
    y = torch.randint(0, 6, (n,))
    angle = (y + 6 * torch.randint(0, 2, (n,))) * torch.pi / 6 + 0.1 * torch.randn(n)
    x = torch.randn(n, 10)
    x[:, 0], x[:, 1] = 1.6 * angle.cos(), 1.6 * angle.sin()
    return TensorDataset(x, y)


def evaluate(accelerator, model, loader):
    model.eval()
    right = total = 0
    with torch.no_grad():
        for x, y in loader:
            guess, y = accelerator.gather_for_metrics((model(x).argmax(-1), y))
            right += (guess == y).sum().item()
            total += y.numel()
    model.train()
    return right / total


def training_function(config):
    set_seed(config["seed"])
    accelerator = Accelerator(cpu=True, gradient_accumulation_steps=config["accumulate"])
    h = config["hidden"]
    model = nn.Sequential(nn.Linear(10, h), nn.GELU(), nn.Linear(h, h), nn.GELU(), nn.Linear(h, 6))
    optimizer = torch.optim.Adam(model.parameters(), lr=config["lr"])
    train = DataLoader(blobs(2048), batch_size=config["micro_batch"], shuffle=True, drop_last=True)
    test = DataLoader(blobs(512), batch_size=256)
    model, optimizer, train, test = accelerator.prepare(model, optimizer, train, test)
    loss_fn = nn.CrossEntropyLoss()
    for epoch in range(config["epochs"]):
        running = 0.0
        for i, (x, y) in enumerate(train):
            with accelerator.accumulate(model):
                if i % config["accumulate"] == 0:      # a new window starts
                    optimizer.zero_grad()
                loss = loss_fn(model(x), y)
                accelerator.backward(loss)
                optimizer.step()
            running += loss.item()
        acc = evaluate(accelerator, model, test)
        accelerator.print(f"epoch {epoch}: loss {running / len(train):.4f}, accuracy {acc:.3f}")


if __name__ == "__main__":
    training_function(config)
