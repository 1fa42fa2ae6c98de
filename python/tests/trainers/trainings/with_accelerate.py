"""Loops of their own with Accelerate."""

import torch
from accelerate import Accelerator
from common import clouds, each
from torch import nn
from torch.nn import functional as F
from torch.utils.data import DataLoader, TensorDataset


def prepared(**options):
    accelerator = Accelerator(cpu=True, **options)
    model = nn.Sequential(nn.Linear(10, 24), nn.ReLU(), nn.Linear(24, 3))
    optimiser = torch.optim.AdamW(model.parameters(), lr=1e-2)
    loader = DataLoader(TensorDataset(*clouds(640, 10, 3)), batch_size=8)
    scheduler = torch.optim.lr_scheduler.LambdaLR(optimiser, lambda n: 1.0)
    return (accelerator, *accelerator.prepare(model, optimiser, loader, scheduler))


def accumulated():
    """As its documentation writes it: accumulate, backward, clip, step at every micro-batch."""
    accelerator, model, optimiser, loader, scheduler = prepared(gradient_accumulation_steps=4)
    losses, parts = [], []
    for x, y in loader:
        with accelerator.accumulate(model):
            loss = F.cross_entropy(model(x), y)
            accelerator.backward(loss)
            if accelerator.sync_gradients:
                accelerator.clip_grad_norm_(model.parameters(), 1.0)
            optimiser.step()
            scheduler.step()
            optimiser.zero_grad()
        parts.append(loss.item())
        if accelerator.sync_gradients:
            losses.append(sum(parts) / len(parts))
            parts = []
    evals = []
    model.eval()
    with torch.no_grad():
        for (x, y), _ in zip(loader, range(3)):
            evals.append(F.cross_entropy(model(x), y).item())
    return accelerator.unwrap_model(model), {"losses": losses, "eval": evals, "steps": len(losses)}


def counted():
    """Micro-batches of different size, each the sum of its terms divided by the number of all of them."""
    accelerator, model, optimiser, loader, scheduler = prepared(gradient_accumulation_steps=4)
    g = torch.Generator().manual_seed(1)
    losses = []
    batches = iter(loader)
    for _ in range(18):
        group = [next(batches) for _ in range(4)]
        group = [(x[:n], y[:n]) for (x, y), n in zip(group, torch.randint(2, 9, (4,), generator=g).tolist())]
        n = accelerator.gather(sum(torch.tensor(len(y)) for _, y in group)).sum().item()
        mean = 0.0
        for x, y in group:
            with accelerator.accumulate(model):
                loss = F.cross_entropy(model(x), y, reduction="sum")
                mean += loss.item() / n
                accelerator.backward(loss * 4 * accelerator.num_processes / n)
                optimiser.step()
                scheduler.step()
                optimiser.zero_grad()
        losses.append(mean)
    return accelerator.unwrap_model(model), {"losses": losses, "steps": len(losses)}


def called():
    """With the hook of PyTorch."""
    import vigil.torch as vg

    hook = vg.Hook()
    model, said = accumulated()
    hook.close()
    return model, said


if __name__ == "__main__":
    each(globals())
