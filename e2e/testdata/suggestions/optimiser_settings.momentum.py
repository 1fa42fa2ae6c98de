import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 4))
optimizer = torch.optim.SGD(
    model.parameters(),
    lr=0.1,
    momentum=0.999,
    nesterov=True,
)
criterion = nn.CrossEntropyLoss()
for step in range(100):
    x = torch.randn(64, 8)
    loss = criterion(model(x), x[:, :4].argmax(1))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
