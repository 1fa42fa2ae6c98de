# fault: none
# family: mlp
# split: tune
import os

import torch
from torch import nn

torch.manual_seed(int(os.environ.get("SEED", 0)))

N, F, K = 1600, 18, 4
grade = torch.randint(0, K, (N,))
profile = 1.3 * torch.randn(K, F)
X = profile[grade] + torch.randn(N, F)


class Grader(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(F, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU())
        self.top = nn.Linear(64, K)
        for m in self.modules():
            if isinstance(m, nn.Linear):
                nn.init.kaiming_normal_(m.weight)
                nn.init.zeros_(m.bias)

    def forward(self, x):
        return self.top(self.body(x))


model = Grader()
opt = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
loss_fn = nn.CrossEntropyLoss()
for epoch in range(5):
    total = 0.0
    for b in torch.randperm(N).split(50):
        opt.zero_grad()
        loss = loss_fn(model(X[b]), grade[b])
        loss.backward()
        opt.step()
        total += loss.item() * len(b)
    print(f"{epoch} {total / N:.4f}")
