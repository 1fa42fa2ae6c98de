# fault: inputs-not-scaled
# cause_class: data-scaling, data-loading, learning-rate, activation, non-finite, structure
# family: accelerate
# split: tune
# needs: accelerate
import os

import numpy as np
import torch
from accelerate import Accelerator
from torch import nn
from torch.utils.data import DataLoader, Dataset

seed = int(os.environ.get("SEED", 0))
torch.manual_seed(seed)
CLASSES = ("water", "forest", "field", "town", "bare")


class Scenes(Dataset):
    """12 bit counts of five bands, a patch of 8 x 8 each."""

    def __init__(self, n, seed):
        rng = np.random.default_rng(seed)
        spectra = np.random.default_rng(5).uniform(400, 2500, (len(CLASSES), 5))
        self.labels = rng.integers(0, len(CLASSES), n)
        light = rng.uniform(0.8, 1.2, (n, 1, 1, 1))
        patch = spectra[self.labels][:, :, None, None] * light + rng.normal(0, 350, (n, 5, 8, 8))
        self.images = np.clip(patch, 0, 4095).astype(np.int16)

    def __len__(self):
        return len(self.labels)

    def __getitem__(self, i):
        return torch.from_numpy(self.images[i]).float(), int(self.labels[i])


model = nn.Sequential(
    nn.Conv2d(5, 16, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
    nn.Conv2d(16, 32, 3, padding=1), nn.ReLU(), nn.AdaptiveAvgPool2d(1),
    nn.Flatten(), nn.Linear(32, len(CLASSES)))
accelerator = Accelerator(cpu=True, gradient_accumulation_steps=2)
opt = torch.optim.SGD(model.parameters(), lr=0.02, momentum=0.9)
train = DataLoader(Scenes(960, seed), batch_size=16, shuffle=True)
test = DataLoader(Scenes(300, seed + 1), batch_size=100)
model, opt, train, test = accelerator.prepare(model, opt, train, test)
crit = nn.CrossEntropyLoss()
for epoch in range(6):
    model.train()
    losses = []
    for x, y in train:
        with accelerator.accumulate(model):
            loss = crit(model(x), y)
            accelerator.backward(loss)
            opt.step()
            opt.zero_grad()
        losses.append(loss.item())
    model.eval()
    with torch.no_grad():
        good = sum((model(x).argmax(1) == y).sum().item() for x, y in test)
    accelerator.print(f"epoch {epoch} loss {np.mean(losses):.3f} accuracy {good / 300:.3f}")
