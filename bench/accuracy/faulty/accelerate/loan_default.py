# fault: softmax-one-unit
# cause_class: output-activation, structure
# family: accelerate
# split: tune
# needs: accelerate
import os
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
from accelerate import Accelerator
from accelerate.utils import set_seed

set_seed(int(os.environ.get("SEED", 0)))
accelerator = Accelerator(cpu=True)


class ScoreNet(nn.Module):
    def __init__(self, n_features, n_outputs, hidden=(48, 24)):
        super().__init__()
        layers, width = [], n_features
        for h in hidden:
            layers += [nn.Linear(width, h), nn.LayerNorm(h), nn.ReLU()]
            width = h
        self.body = nn.Sequential(*layers)
        self.head = nn.Linear(width, n_outputs)

    def forward(self, x):
        return torch.softmax(self.head(self.body(x)), dim=-1)


n = 2400
income, debt, years = torch.randn(3, n)
risk = 1.4 * debt - income - 0.6 * years + 0.8 * income * debt
default = (risk + 0.4 * torch.randn(n) > 0.3).float()
x = torch.stack([income, debt, years, torch.randn(n)], 1)
train_loader = DataLoader(TensorDataset(x[:2000], default[:2000, None]), batch_size=64, shuffle=True)
eval_loader = DataLoader(TensorDataset(x[2000:], default[2000:, None]), batch_size=200)

model = ScoreNet(4, 1)
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
model, optimizer, train_loader, eval_loader = accelerator.prepare(model, optimizer, train_loader, eval_loader)
criterion = nn.BCELoss()

for epoch in range(6):
    model.train()
    losses = []
    for features, target in train_loader:
        optimizer.zero_grad()
        loss = criterion(model(features), target)
        accelerator.backward(loss)
        optimizer.step()
        losses.append(loss.detach())
    model.eval()
    hits = 0
    for features, target in eval_loader:
        with torch.no_grad():
            pred = (model(features) > 0.5).float()
        hits += accelerator.gather_for_metrics((pred == target).float()).sum().item()
    accelerator.print(f"epoch {epoch} loss {torch.stack(losses).mean():.4f} accuracy {hits / 400:.3f}")
