# fault: weight-decay-too-strong
# cause_class: regularisation
# family: generative
# split: tune
import os
import torch
import torch.nn as nn
torch.manual_seed(int(os.environ.get("SEED", 0)))

z = torch.randn(1600, 3)
x = torch.tanh(z @ torch.randn(3, 30))
ae = nn.Sequential(nn.Linear(30, 40), nn.ReLU(), nn.Linear(40, 4), nn.Linear(4, 40), nn.ReLU(), nn.Linear(40, 30))
opt = torch.optim.AdamW(ae.parameters(), lr=3e-3, weight_decay=30)
for epoch in range(8):
    for b in torch.randperm(1600).split(50):
        loss = nn.functional.mse_loss(ae(x[b]), x[b])
        opt.zero_grad()
        loss.backward()
        opt.step()
    print(f"{epoch:02d} {loss.item():.5f}")
