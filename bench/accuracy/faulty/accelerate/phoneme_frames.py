# fault: weight-decay-too-strong
# cause_class: regularisation
# family: accelerate
# split: tune
# needs: accelerate
import os
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
from accelerate import Accelerator
from accelerate.utils import set_seed

hp = {"lr": 2e-3, "wd": 40.0, "epochs": 8, "batch": 50, "accum": 2}


def frames(n, protos):
    y = torch.randint(0, len(protos), (n,))
    return TensorDataset(protos[y] + 0.8 * torch.randn(n, protos.shape[1]), y)


def main():
    set_seed(int(os.environ.get("SEED", 0)))
    acc = Accelerator(cpu=True, gradient_accumulation_steps=hp["accum"])
    protos = torch.randn(15, 30)
    train = DataLoader(frames(2000, protos), batch_size=hp["batch"], shuffle=True)
    dev = DataLoader(frames(400, protos), batch_size=400)
    model = nn.Sequential(nn.Linear(30, 64), nn.GELU(), nn.Linear(64, 64), nn.GELU(), nn.Linear(64, 15))
    opt = torch.optim.AdamW(model.parameters(), lr=hp["lr"], weight_decay=hp["wd"])
    model, opt, train, dev = acc.prepare(model, opt, train, dev)
    for epoch in range(hp["epochs"]):
        model.train()
        for x, y in train:
            with acc.accumulate(model):
                loss = nn.functional.cross_entropy(model(x), y)
                acc.backward(loss)
                opt.step()
                opt.zero_grad()
        model.eval()
        with torch.no_grad():
            for x, y in dev:
                out = model(x)
                acc.print(f"epoch {epoch} train {loss.item():.4f} dev {nn.functional.cross_entropy(out, y):.4f} "
                          f"acc {(out.argmax(1) == y).float().mean():.3f}")


if __name__ == "__main__":
    main()
