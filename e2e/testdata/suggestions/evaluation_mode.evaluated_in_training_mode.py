import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Dropout(0.5), nn.Linear(32, 2))
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
criterion = nn.CrossEntropyLoss()


def accuracy(batches):
    right = 0
    with torch.no_grad():
        for _ in range(batches):
            x = torch.randn(64, 8)
            right += (model(x).argmax(1) == (x[:, 0] > 0)).sum().item()
    return right / (64 * batches)


for epoch in range(4):
    for step in range(30):
        x = torch.randn(32, 8)
        loss = criterion(model(x), (x[:, 0] > 0).long())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(epoch, accuracy(4))
