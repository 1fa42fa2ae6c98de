# fault: none
# family: mlp
# split: tune
# bfloat16 autocast on the CPU: outputs in bfloat16, weights in float32, no scaler.
import os

import torch
from torch import nn

torch.manual_seed(int(os.environ.get("SEED", "0")))
torch.backends.mkldnn.enabled = False  # deterministic across CPUs

proto = torch.randn(10, 32)
y = torch.randint(0, 10, (1000,))
x = proto[y] + 0.8 * torch.randn(1000, 32)

model = nn.Sequential(nn.Linear(32, 64), nn.LayerNorm(64), nn.GELU(), nn.Linear(64, 10))
opt = torch.optim.AdamW(model.parameters(), lr=3e-3)
criterion = nn.CrossEntropyLoss()
hist = []
for epoch in range(8):
    for idx in torch.randperm(1000).split(50):
        with torch.autocast("cpu", dtype=torch.bfloat16):
            logits = model(x[idx])
            loss = criterion(logits, y[idx])
        opt.zero_grad()
        loss.backward()
        opt.step()
        hist.append(loss.item())
print("output dtype", logits.dtype)
print(f"loss first {hist[0]:.4f} last {hist[-1]:.4f}")
