# fault: targets-not-scaled
# cause_class: data-scaling, learning-rate
# family: accelerate
# split: held
# needs: accelerate
import os

import torch
import torch.nn as nn
from accelerate import Accelerator
from accelerate.utils import set_seed
from torch.utils.data import DataLoader, TensorDataset


def make_listings(n):
    area = 40 + 180 * torch.rand(n)
    rooms = (area / 30).round() + torch.randint(-1, 2, (n,))
    age = 80 * torch.rand(n)
    dist = 30 * torch.rand(n)
    garden = (torch.rand(n) < 0.4).float()
    price = 2600 * area + 9000 * rooms - 900 * age + 45000 * garden * (dist / 10) - 80 * dist * area + 60000
    price = price + 12000 * torch.randn(n)
    return torch.stack([area, rooms, age, dist, garden], dim=1), price.unsqueeze(1)


def main(epochs=12, lr=1e-3, batch_size=32):
    set_seed(int(os.environ.get("SEED", 0)))
    accelerator = Accelerator(cpu=True)

    feats, price = make_listings(2000)
    train_x, val_x = feats[:1600], feats[1600:]
    train_y, val_y = price[:1600], price[1600:]
    mean, std = train_x.mean(0), train_x.std(0)
    train_x, val_x = (train_x - mean) / std, (val_x - mean) / std

    train_dl = DataLoader(TensorDataset(train_x, train_y), batch_size=batch_size, shuffle=True)
    val_dl = DataLoader(TensorDataset(val_x, val_y), batch_size=200)
    model = nn.Sequential(nn.Linear(5, 64), nn.ReLU(), nn.Linear(64, 32), nn.ReLU(), nn.Linear(32, 1))
    optimizer = torch.optim.AdamW(model.parameters(), lr=lr, weight_decay=1e-4)
    model, optimizer, train_dl, val_dl = accelerator.prepare(model, optimizer, train_dl, val_dl)
    criterion = nn.MSELoss()

    for epoch in range(epochs):
        model.train()
        total = 0.0
        for x, y in train_dl:
            optimizer.zero_grad()
            loss = criterion(model(x), y)
            accelerator.backward(loss)
            optimizer.step()
            total += loss.item()
        model.eval()
        preds, refs = [], []
        for x, y in val_dl:
            with torch.no_grad():
                p, r = accelerator.gather_for_metrics((model(x), y))
            preds.append(p)
            refs.append(r)
        preds, refs = torch.cat(preds), torch.cat(refs)
        r2 = 1 - ((preds - refs) ** 2).sum() / ((refs - refs.mean()) ** 2).sum()
        accelerator.print(f"epoch {epoch}: mse {total / len(train_dl):.4g} val r2 {r2:.3f} mean pred {preds.mean():.1f}")


if __name__ == "__main__":
    main()
