import argparse

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

parser = argparse.ArgumentParser()
parser.add_argument("--lr", type=float, default=0.02)
parser.add_argument("--hidden", type=int, default=1024)
parser.add_argument("--features", type=int, default=16)
args = parser.parse_args()

torch.manual_seed(1)
centres = 0.6 * torch.randn(5, 16)
labels = torch.randint(0, 5, (12500,))
inputs = centres[labels] + torch.randn(12500, 16)
train = DataLoader(TensorDataset(inputs[:10000], labels[:10000]), batch_size=250, shuffle=True)
held_out = inputs[10000:], labels[10000:]

model = nn.Sequential(nn.Linear(args.features, args.hidden), nn.ReLU(), nn.Linear(args.hidden, 5))
criterion = nn.CrossEntropyLoss()
optimizer = torch.optim.SGD(model.parameters(), lr=args.lr)

for epoch in range(5):
    model.train()
    for x, y in train:
        loss = criterion(model(x), y)
        loss.backward()
        optimizer.step()
    model.eval()
    with torch.no_grad():
        x, y = held_out
        print(f"epoch {epoch}: loss {criterion(model(x), y):.3f}")
