# fault: none
# family: trainers
# split: held
# set: okapi, unseen
# needs: accelerate
"""Day-ahead electricity load: GRU over the past three days -> next 12 hours.  Runs under accelerate."""
import os
import numpy as np
import torch
from accelerate import Accelerator
from accelerate.utils import set_seed
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

PAST, AHEAD = 36, 12


def synth_load(hours, rng):
    t = np.arange(hours)
    temp = 12 + 9 * np.sin(2 * np.pi * t / (24 * 60)) + 4 * np.sin(2 * np.pi * (t - 9) / 24)
    ar = np.zeros(hours)
    for i in range(1, hours):
        ar[i] = 0.93 * ar[i - 1] + rng.normal(0, 1.2)
    temp = temp + ar
    weekend = ((t // 24) % 7 >= 5).astype(float)
    day = np.sin(2 * np.pi * (t - 7) / 24) + 0.5 * np.sin(4 * np.pi * (t - 3) / 24)
    load = 5200 + 900 * day * (1 - 0.5 * weekend) - 500 * weekend + 28 * np.maximum(15 - temp, 0) + rng.normal(0, 60, hours)
    feats = np.stack([load, temp, np.sin(2 * np.pi * t / 24), np.cos(2 * np.pi * t / 24), weekend], 1)
    return feats.astype(np.float32)


def make_windows(f, stride):
    xs, ys = [], []
    for i in range(0, len(f) - PAST - AHEAD, stride):
        xs.append(f[i:i + PAST])
        ys.append(f[i + PAST:i + PAST + AHEAD, 0])
    return torch.from_numpy(np.stack(xs)), torch.from_numpy(np.stack(ys))


class LoadForecaster(nn.Module):
    def __init__(self, n_feat=5, hidden=32):
        super().__init__()
        self.rnn = nn.GRU(n_feat, hidden, batch_first=True)
        self.head = nn.Sequential(nn.Linear(hidden, 64), nn.ReLU(), nn.Linear(64, AHEAD))

    def forward(self, x):
        out, h = self.rnn(x)
        last = out[:, -1]
        return self.head(last)


def mae_on(model, loader, scale):
    model.eval()
    errs = []
    with torch.no_grad():
        for x, y in loader:
            errs.append((model(x) - y).abs())
    return torch.cat(errs).mean().item() * scale


def main():
    seed = int(os.environ.get("SEED", "0"))
    set_seed(seed)
    accelerator = Accelerator(cpu=True, gradient_accumulation_steps=2)
    f = synth_load(24 * 150, np.random.default_rng(seed))
    split = 24 * 110
    mu, sd = f[:split].mean(0), f[:split].std(0)
    fz = (f - mu) / sd
    train_x, train_y = make_windows(fz[:split], 3)
    val_x, val_y = make_windows(fz[split:], 5)
    train_dl = DataLoader(TensorDataset(train_x, train_y), batch_size=32, shuffle=True, drop_last=True)
    val_dl = DataLoader(TensorDataset(val_x, val_y), batch_size=128)

    model = LoadForecaster()
    optimizer = torch.optim.Adam(model.parameters(), lr=8e-3)
    epochs = 5
    scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=epochs)
    model, optimizer, train_dl, val_dl = accelerator.prepare(model, optimizer, train_dl, val_dl)
    loss_fn = nn.HuberLoss()

    for epoch in range(epochs):
        model.train()
        seen = total = 0
        for x, y in train_dl:
            with accelerator.accumulate(model):
                pred = model(x)
                loss = loss_fn(pred, y)
                accelerator.backward(loss)
                if accelerator.sync_gradients:
                    accelerator.clip_grad_norm_(model.parameters(), 1.0)
                optimizer.step()
                optimizer.zero_grad()
            total += loss.item() * len(x)
            seen += len(x)
        scheduler.step()
        accelerator.print(f"epoch {epoch}: train {total / seen:.4f}, val MAE {mae_on(model, val_dl, sd[0]):.1f} MW")
    accelerator.print(f"METRIC val_mae_mw {mae_on(model, val_dl, sd[0]):.2f}")


if __name__ == "__main__":
    main()
