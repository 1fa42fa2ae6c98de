import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(
    nn.Linear(8, 32),
    nn.ReLU(),
    nn.Linear(32, 4),
    nn.Softmax(dim=1),
)
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
for step in range(100):
    x = torch.randn(64, 8)
    loss = F.cross_entropy(model(x), x[:, :4].argmax(1))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
