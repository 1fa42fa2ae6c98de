# fault: none
# family: mlp
# split: tune
import os
import torch
import torch.nn as nn

torch.manual_seed(int(os.environ.get("SEED", 0)))
centers = torch.randn(8, 20) * 1.2
y = torch.randint(0, 8, (2400,))
x = centers[y] + torch.randn(2400, 20)


class Classifier(nn.Module):
    def __init__(self, n_in, n_hidden, n_classes):
        super().__init__()
        self.fc1 = nn.Linear(n_in, n_hidden)
        self.fc2 = nn.Linear(n_hidden, n_classes)
        self.softmax = nn.Softmax(dim=1)

    def forward(self, x):
        x = torch.relu(self.fc1(x))
        return self.fc2(x)

    def predict(self, x):
        return self.softmax(self(x))


model = Classifier(20, 64, 8)
criterion = nn.CrossEntropyLoss()
optimizer = torch.optim.Adam(model.parameters(), lr=0.005)
for epoch in range(6):
    for i in range(0, 2000, 50):
        optimizer.zero_grad()
        output = model(x[i:i + 50])
        loss = criterion(output, y[i:i + 50])
        loss.backward()
        optimizer.step()
    model.eval()
    with torch.no_grad():
        acc = (model(x[2000:]).argmax(1) == y[2000:]).float().mean().item()
    model.train()
    print("Epoch {}: loss {:.3f}, accuracy {:.3f}".format(epoch + 1, loss.item(), acc))
