# fault: none
# family: accelerate
# split: tune
# needs: accelerate, sklearn
import os
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
from accelerate import Accelerator
from accelerate.utils import set_seed
from sklearn.datasets import load_digits

config = {"lr": 2e-3, "num_epochs": 6, "seed": int(os.environ.get("SEED", 0)), "batch_size": 8, "accumulation": 4}


def get_dataloaders():
    d = load_digits()
    x = torch.tensor(d.images, dtype=torch.float32).unsqueeze(1) / 8 - 0.6
    y = torch.tensor(d.target)
    p = torch.randperm(len(x), generator=torch.Generator().manual_seed(config["seed"]))
    a, b = p[:1440], p[1440:]
    return (DataLoader(TensorDataset(x[a], y[a]), batch_size=config["batch_size"], shuffle=True),
            DataLoader(TensorDataset(x[b], y[b]), batch_size=120))


def training_function():
    set_seed(config["seed"])
    accelerator = Accelerator(cpu=True, gradient_accumulation_steps=config["accumulation"])
    train_dl, eval_dl = get_dataloaders()
    model = nn.Sequential(nn.Conv2d(1, 16, 3), nn.ReLU(), nn.Conv2d(16, 16, 3, stride=2), nn.ReLU(), nn.Flatten(),
                          nn.Linear(64, 10))
    optimizer = torch.optim.AdamW(model.parameters(), lr=config["lr"])
    scheduler = torch.optim.lr_scheduler.OneCycleLR(optimizer, 2 * config["lr"], epochs=config["num_epochs"],
                                                    steps_per_epoch=len(train_dl) // config["accumulation"])
    model, optimizer, train_dl, eval_dl, scheduler = accelerator.prepare(model, optimizer, train_dl, eval_dl, scheduler)
    for epoch in range(config["num_epochs"]):
        model.train()
        total = 0.0
        for x, y in train_dl:
            with accelerator.accumulate(model):
                loss = nn.functional.cross_entropy(model(x), y)
                accelerator.backward(loss)
                if accelerator.sync_gradients:
                    accelerator.clip_grad_norm_(model.parameters(), 1.0)
                optimizer.step()
                scheduler.step()
                optimizer.zero_grad()
            total += loss.item()
        model.eval()
        correct = 0
        for x, y in eval_dl:
            with torch.no_grad():
                pred, ref = accelerator.gather_for_metrics((model(x).argmax(1), y))
            correct += (pred == ref).sum().item()
        accelerator.print(f"epoch {epoch}: loss {total / len(train_dl):.4f} accuracy {correct / 357:.4f}")


if __name__ == "__main__":
    training_function()
