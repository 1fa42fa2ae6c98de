# fault: softmax-one-unit
# cause_class: output-activation, structure
# family: mlp
# split: tune
# twin: healthy/twins/churn_one_unit.py
# customer churn, generated
import os
import torch
import torch.nn as nn
torch.manual_seed(int(os.environ.get('SEED', 0)))

tenure = torch.rand(1200) * 5
spend = torch.randn(1200)
calls = torch.poisson(torch.full((1200,), 2.0))
logit = 1.5 * calls - 1.2 * tenure + spend - 0.4
churned = (torch.rand(1200) < torch.sigmoid(logit)).float().unsqueeze(1)
table = torch.stack([(tenure - 2.5) / 1.4, spend, (calls - 2) / 1.4], dim=1)

model = nn.Sequential()
model.add_module('fc1', nn.Linear(3, 16))
model.add_module('act1', nn.ReLU())
model.add_module('fc2', nn.Linear(16, 1))
model.add_module('prob', nn.Softmax(dim=1))
bce = nn.BCELoss()
opt = torch.optim.Adam(model.parameters(), lr=0.01)
for epoch in range(10):
    for k in range(0, 1200, 60):
        p = model(table[k:k + 60])
        loss = bce(p, churned[k:k + 60])
        opt.zero_grad()
        loss.backward()
        opt.step()
    print('epoch', epoch, 'loss', loss.item())
