# fault: none
# family: mlp
# split: tune
# log_softmax before CrossEntropyLoss: superfluous, and without any effect on loss or gradients.
import os

import torch
import torch.nn as nn

torch.manual_seed(int(os.environ.get("SEED", "0")))


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1 = nn.Linear(18, 40)
        self.fc2 = nn.Linear(40, 6)

    def forward(self, x):
        return nn.functional.log_softmax(self.fc2(torch.relu(self.fc1(x))), dim=-1)


means = torch.randn(6, 18)
labels = torch.randint(0, 6, (1800,))
inputs = means[labels] + torch.randn(1800, 18)
net = Net()
criterion = nn.CrossEntropyLoss()
optimizer = torch.optim.Adam(net.parameters(), lr=2e-3)
log = []
for epoch in range(5):
    running = 0.0
    for i, idx in enumerate(torch.randperm(1800).split(36)):
        optimizer.zero_grad()
        outputs = net(inputs[idx])
        loss = criterion(outputs, labels[idx])
        loss.backward()
        optimizer.step()
        running += loss.item()
        log.append(loss.item())
    print(f"[{epoch + 1}] loss: {running / (i + 1):.3f}")
print(f"loss first {log[0]:.4f} last {log[-1]:.4f}")
