import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.lstm = nn.LSTM(4, 16)
        self.out = nn.Linear(16, 1)

    def forward(self, x):
        states, _ = self.lstm(x)
        return self.out(states[:, -1])


torch.manual_seed(0)
model = Net()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
criterion = nn.MSELoss()
for step in range(100):
    x = torch.randn(32, 12, 4)
    loss = criterion(model(x), x[:, :, :1].mean(1))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
