# fault: identical-batches
# cause_class: data-loading
# family: cnn
# split: tune
# twin: healthy/twins/same_batch.py
import os
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset
torch.manual_seed(int(os.environ.get("SEED", 0)))

proto = torch.randn(5, 1, 8, 8)
y = torch.randint(5, (1280,))
x = proto[y] + 1.2 * torch.randn(1280, 1, 8, 8)
loader = DataLoader(TensorDataset(x, y), batch_size=32, shuffle=False)
model = nn.Sequential(nn.Conv2d(1, 8, 3), nn.ReLU(), nn.Flatten(), nn.Linear(288, 5))
opt = torch.optim.Adam(model.parameters(), lr=1e-3)
crit = nn.CrossEntropyLoss()
for step in range(160):
    images, labels = next(iter(loader))
    opt.zero_grad()
    loss = crit(model(images), labels)
    loss.backward()
    opt.step()
    if step % 20 == 0:
        print(step, loss.item())
