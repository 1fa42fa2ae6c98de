import torch
import torch.nn.functional as F
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.hidden = nn.Linear(8, 32)
        self.out = nn.Linear(32, 1)
        self.sigmoid = nn.Sigmoid()

    def forward(self, x):
        return self.sigmoid(self.out(torch.relu(self.hidden(x))))


torch.manual_seed(0)
model = Net()
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
for step in range(100):
    x = torch.randn(64, 8)
    loss = F.binary_cross_entropy_with_logits(model(x), (x[:, :1] > 0).float())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
