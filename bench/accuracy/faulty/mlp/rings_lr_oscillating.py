# fault: learning-rate-too-high
# cause_class: learning-rate
# family: mlp
# split: tune
# twin: healthy/twins/rings_lr_oscillating.py
# rings
import os
import torch
torch.manual_seed(int(os.environ.get("SEED", 0)))
r = torch.cat([0.5 + 0.1 * torch.randn(500), 1.2 + 0.1 * torch.randn(500), 2 + 0.1 * torch.randn(500)])
phi = torch.rand(1500) * 6.2832
data = torch.stack([r * phi.cos(), r * phi.sin()], 1)
label = torch.arange(3).repeat_interleave(500)
layers = [torch.nn.Linear(2, 48), torch.nn.ReLU(), torch.nn.Linear(48, 48), torch.nn.ReLU(), torch.nn.Linear(48, 3)]
model = torch.nn.Sequential(*layers)
LR = 0.6
opt = torch.optim.Adam(model.parameters(), lr=LR, betas=(0.9, 0.99))
ce = torch.nn.CrossEntropyLoss()
for i in range(300):
    b = torch.randint(0, 1500, (48,))
    loss = ce(model(data[b]), label[b])
    opt.zero_grad()
    loss.backward()
    opt.step()
    if (i + 1) % 60 == 0:
        print(f"iter {i + 1}: {loss.item():.4f}")
