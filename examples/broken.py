"""The same task as train.py with a fault that people really make: twelve sigmoid
layers on top of each other, whose gradient does not reach the first ones.

    vigil run --stop-on warning -- python broken.py
"""

import torch
from torch import nn

torch.manual_seed(0)
centres = 0.5 * torch.randn(10, 32)
layers = []
for i in range(12):
    layers += [nn.Linear(32 if i == 0 else 64, 64), nn.Sigmoid()]
model = nn.Sequential(*layers, nn.Linear(64, 10))
optimiser = torch.optim.SGD(model.parameters(), lr=0.1)
criterion = nn.CrossEntropyLoss()

for step in range(5000):
    y = torch.randint(10, (64,))
    x = centres[y] + 0.8 * torch.randn(64, 32)
    optimiser.zero_grad()
    loss = criterion(model(x), y)
    loss.backward()
    optimiser.step()
    if step % 500 == 0:
        print("step %d, loss %.3f" % (step, loss.item()))
