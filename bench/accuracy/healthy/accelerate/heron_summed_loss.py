# fault: none
# family: accelerate
# split: held
# needs: accelerate, sklearn

# Digits, bf16 autocast, losses summed over the batch (so the rate is small), accumulation over two batches, clipping at 50.
import os

import torch
from accelerate import Accelerator
from accelerate.utils import set_seed
from sklearn.datasets import load_digits
from torch import nn
from torch.utils.data import DataLoader, TensorDataset, random_split

set_seed(int(os.environ.get("SEED", 0)))
acc = Accelerator(cpu=True, mixed_precision="bf16", gradient_accumulation_steps=2)
x, y = load_digits(return_X_y=True)
x = torch.tensor(x, dtype=torch.float32) / 16
data = TensorDataset((x - x.mean()) / x.std(), torch.tensor(y))
train, test = random_split(data, [1440, len(data) - 1440])
net = nn.Sequential(nn.Linear(64, 96), nn.GELU(), nn.Dropout(0.2), nn.Linear(96, 10))
opt = torch.optim.SGD(net.parameters(), lr=4e-4, momentum=0.9)
net, opt, train_dl, test_dl = acc.prepare(net, opt, DataLoader(train, 32, shuffle=True), DataLoader(test, 200))
criterion = nn.CrossEntropyLoss(reduction="sum")
for epoch in range(14):
    net.train()
    total = 0.0
    for a, b in train_dl:
        with acc.accumulate(net):
            loss = criterion(net(a), b)
            acc.backward(loss)
            if acc.sync_gradients:
                acc.clip_grad_norm_(net.parameters(), 50.0)
            opt.step()
            opt.zero_grad()
        total += loss.item()
    net.eval()
    hits = 0
    with torch.inference_mode():
        for a, b in test_dl:
            hits += (net(a).argmax(1) == b).sum().item()
    if epoch % 3 == 1:
        acc.print(f"epoch {epoch} loss {total / len(train):.3f} accuracy {hits / len(test):.3f}")
