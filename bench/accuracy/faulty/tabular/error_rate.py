# fault: no-gradient
# cause_class: not-updated, loss, structure
# family: tabular
# split: tune
import os
import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(int(os.environ.get("SEED", "0")))
centres = 2.0 * torch.randn(6, 16)
labels = torch.randint(0, 6, (2400,))
features = centres[labels] + torch.randn(2400, 16)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.hidden = nn.Linear(16, 64)
        self.norm = nn.LayerNorm(64)
        self.out = nn.Linear(64, 6)

    def forward(self, x):
        return self.out(F.relu(self.norm(self.hidden(x))))


def error_rate(scores, y):
    wrong = scores.argmax(dim=1) != y
    return torch.tensor(wrong.float().mean().item(), requires_grad=True)


model = Net()
optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
for epoch in range(8):
    model.train()
    for b in torch.randperm(2000).split(50):
        optimizer.zero_grad()
        loss = error_rate(model(features[b]), labels[b])
        loss.backward()
        optimizer.step()
    model.eval()
    with torch.no_grad():
        acc = (model(features[2000:]).argmax(1) == labels[2000:]).float().mean().item()
    print("epoch", epoch, "loss", round(loss.item(), 3), "accuracy", round(acc, 3))
