# fault: none
# family: finetune
# split: tune
# A backbone is trained and saved, loaded again, its new head trained at 1e-3 and the backbone at 1e-5.
import io
import os

import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(int(os.environ.get("SEED", "0")))


def backbone():
    return nn.Sequential(
        nn.Conv1d(1, 8, 5, padding=2), nn.BatchNorm1d(8), nn.ReLU(),
        nn.Conv1d(8, 16, 5, padding=2), nn.BatchNorm1d(16), nn.ReLU(), nn.AdaptiveAvgPool1d(1), nn.Flatten(),
    )


def signals(n, freqs):
    y = torch.randint(0, len(freqs), (n,))
    t = torch.arange(32).float()
    x = torch.sin(torch.tensor(freqs)[y][:, None] * t + 6.28 * torch.rand(n, 1)) + 0.3 * torch.randn(n, 32)
    return x.unsqueeze(1), y


body = backbone()
head = nn.Linear(16, 3)
opt = torch.optim.Adam([*body.parameters(), *head.parameters()], lr=5e-3)
for _ in range(100):
    x, y = signals(32, [0.3, 0.8, 1.5])
    loss = F.cross_entropy(head(body(x)), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
    first = locals().get("first", loss.item())
buf = io.BytesIO()
torch.save(body.state_dict(), buf)
buf.seek(0)

model = nn.Sequential(backbone(), nn.Linear(16, 2))
model[0].load_state_dict(torch.load(buf))
opt = torch.optim.AdamW([{"params": model[0].parameters(), "lr": 1e-5}, {"params": model[1].parameters(), "lr": 1e-2}])
losses = []
for _ in range(150):
    x, y = signals(32, [0.5, 1.1])
    loss = F.cross_entropy(model(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
    losses.append(loss.item())
print(f"pre-training {first:.4f}; fine-tuning {losses[0]:.4f}")
print(f"loss first {losses[0]:.4f} last {losses[-1]:.4f}")
