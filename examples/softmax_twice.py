"""A classifier with a fault that is easily made: the model ends with a softmax, and CrossEntropyLoss applies one itself."""

import torch
from torch import nn

torch.manual_seed(0)
centres = 2 * torch.randn(8, 20)
labels = torch.randint(0, 8, (2000,))
inputs = centres[labels] + torch.randn(2000, 20)

model = nn.Sequential(nn.Linear(20, 64), nn.ReLU(), nn.Linear(64, 8), nn.Softmax(dim=1))
criterion = nn.CrossEntropyLoss()
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)

for epoch in range(3):
    for batch in torch.randperm(2000).split(50):
        loss = criterion(model(inputs[batch]), labels[batch])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(f"epoch {epoch}: loss {loss.item():.3f}")
