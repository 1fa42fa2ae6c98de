"""Price of a wine from what the laboratory measured."""
import time

import numpy as np
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset, random_split

config = {
    "samples": 6800,
    "epochs": 6,
    "batch_size": 2,
    "lr": 1e-4,
    "hidden": 64,
    "seed": 12,
}


def load_wines(n, seed):
    rng = np.random.default_rng(seed)
    x = rng.normal(0, 1, (n, 11)).astype(np.float32)
    w = np.random.default_rng(1).normal(0, 1, (11, 4))
    z = x @ w
    price = 0.4 * z[:, 0] + np.tanh(z[:, 1]) + 0.3 * np.abs(z[:, 2]) - 0.2 * z[:, 3] + rng.normal(0, 0.3, n)
    price = (price - price.mean()) / price.std()
    return torch.from_numpy(x), torch.from_numpy(price.astype(np.float32)).unsqueeze(1)


torch.manual_seed(config["seed"])
dataset = TensorDataset(*load_wines(config["samples"], config["seed"]))
train_set, val_set = random_split(dataset, [0.9, 0.1])
train_loader = DataLoader(train_set, batch_size=config["batch_size"], shuffle=True)
val_loader = DataLoader(val_set, batch_size=600)

model = nn.Sequential(
    nn.Linear(11, config["hidden"]), nn.ReLU(),
    nn.Linear(config["hidden"], config["hidden"]), nn.ReLU(),
    nn.Linear(config["hidden"], 1),
)
optimizer = torch.optim.Adam(model.parameters(), lr=config["lr"])
loss_fn = nn.MSELoss()

start = time.time()
for epoch in range(config["epochs"]):
    model.train()
    train_loss = 0.0
    for x, y in train_loader:
        pred = model(x)
        loss = loss_fn(pred, y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        train_loss += loss.item()
    model.eval()
    with torch.no_grad():
        val_loss = sum(loss_fn(model(x), y).item() for x, y in val_loader) / len(val_loader)
    print(f"Epoch {epoch + 1}: train {train_loss / len(train_loader):.4f}  val {val_loss:.4f}")
print(f"Training finished in {time.time() - start:.1f} s")
