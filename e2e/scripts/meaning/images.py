"""Images and a classifier. With the argument "bad" the images are not normalised and one class is rare."""

import sys

import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
bad = sys.argv[1] == "bad"


class Pictures(nn.Module):
    def __init__(self):
        super().__init__()
        self.look = nn.Conv2d(3, 4, 3)
        self.switch = nn.ReLU()
        self.say = nn.Linear(4 * 36, 3)

    def forward(self, picture):
        return self.say(self.switch(self.look(picture)).flatten(1))


model = Pictures()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
criterion = nn.CrossEntropyLoss()
for step in range(30):
    y = torch.randint(0, 3, (64,))
    if bad:
        y[y == 2] = 0
        y[0] = 2  # one of 64, and its picture tells nothing
    x = torch.rand(64, 3, 8, 8) * 0.2
    x[y == 1, 1] += 0.6
    if not bad:
        x[y == 2, 2] += 0.6
        x = (x - x.mean((0, 2, 3), keepdim=True)) / x.std((0, 2, 3), keepdim=True)
    loss = criterion(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print("loss %.4f" % loss.item())
