"""A model without parameters: there is nothing to train."""

import torch
from torch import nn

model = nn.Sequential(nn.Flatten(), nn.ReLU())
for _ in range(30):
    model(torch.randn(8, 4)).sum()
print("done")
