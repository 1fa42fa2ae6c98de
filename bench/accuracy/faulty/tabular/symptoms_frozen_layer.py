# fault: frozen-by-mistake
# cause_class: not-updated
# family: tabular
# split: tune
import os
import torch
import torch.nn as nn
torch.manual_seed(int(os.environ.get("SEED", 0)))


class Symptoms(nn.Module):
    def __init__(self, n_in, n_out):
        super().__init__()
        self.embed = nn.Linear(n_in, 48)
        self.mix = nn.Linear(48, 48)
        self.head = nn.Linear(48, n_out)
        scale = torch.ones(48)
        self.mix.weight.requires_grad = False
        self.mix.weight.data.mul_(scale[:, None])

    def forward(self, x):
        return self.head(torch.relu(self.mix(torch.relu(self.embed(x)))))


x = torch.randn(1600, 20)
causes = torch.randn(20, 5)
t = ((x @ causes / 4.5).abs() > 0.7).float()
model = Symptoms(20, 5)
opt = torch.optim.AdamW([q for q in model.parameters() if q.requires_grad], lr=4e-3)
crit = nn.BCEWithLogitsLoss()
for epoch in range(8):
    for i in range(0, 1600, 50):
        loss = crit(model(x[i:i + 50]), t[i:i + 50])
        opt.zero_grad()
        loss.backward()
        opt.step()
    print("epoch", epoch, loss.item())
