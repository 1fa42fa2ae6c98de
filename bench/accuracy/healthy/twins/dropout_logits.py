# fault: none
# family: mlp
# split: tune
import os
import torch
import torch.nn as nn
import torch.nn.functional as F
torch.manual_seed(int(os.environ.get("SEED", 0)))


class Classifier(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1 = nn.Linear(15, 60)
        self.fc2 = nn.Linear(60, 60)
        self.fc3 = nn.Linear(60, 7)
        self.dropout = nn.Dropout(p=0.4)

    def forward(self, x):
        x = self.dropout(F.relu(self.fc1(x)))
        x = F.relu(self.fc2(x))
        x = self.fc3(x)
        return F.log_softmax(x, dim=1)


mu = torch.randn(7, 15) * 1.3
y = torch.randint(7, (1600,))
x = mu[y] + torch.randn(1600, 15)
model = Classifier()
criterion = nn.NLLLoss()
optimizer = torch.optim.Adam(model.parameters(), lr=0.003)
for e in range(8):
    model.train()
    running_loss = 0
    for b in torch.randperm(1400).split(50):
        optimizer.zero_grad()
        loss = criterion(model(x[b]), y[b])
        loss.backward()
        optimizer.step()
        running_loss += loss.item()
    model.eval()
    with torch.no_grad():
        accuracy = (model(x[1400:]).argmax(1) == y[1400:]).float().mean()
    print(f"Training loss: {running_loss / 28:.3f}  Test accuracy: {accuracy:.3f}")
