# fault: loss-misused
# cause_class: loss
# family: contrastive
# split: tune
# CLIP in small: 'images' (noisy 24-d vectors) and 'captions' (token sets) of the same scene
import os
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(int(os.environ.get("SEED", "0")))
N_ATTR, VALUES, DIM = 4, 8, 32
CODEBOOK = torch.randn(N_ATTR, VALUES, 24)


def scenes(n):
    attr = torch.randint(0, VALUES, (n, N_ATTR))
    img = sum(CODEBOOK[k, attr[:, k]] for k in range(N_ATTR)) / 2 + 0.8 * torch.randn(n, 24)
    cap = attr + VALUES * torch.arange(N_ATTR)
    return img, cap[:, torch.randperm(N_ATTR)]


class Towers(nn.Module):
    def __init__(self, temperature=0.07):
        super().__init__()
        self.image = nn.Sequential(nn.Linear(24, 96), nn.ReLU(), nn.Linear(96, DIM))
        self.words = nn.Embedding(N_ATTR * VALUES, 48)
        self.text = nn.Sequential(nn.Linear(48, 96), nn.ReLU(), nn.Linear(96, DIM))
        self.temperature = temperature

    def forward(self, img, cap):
        i = F.normalize(self.image(img), dim=-1)
        t = F.normalize(self.text(self.words(cap).mean(1)), dim=-1)
        return i, t


def clip_loss(i, t, temperature):
    logits = (i @ t.t()) * temperature
    labels = torch.arange(len(i))
    return (F.cross_entropy(logits, labels) + F.cross_entropy(logits.t(), labels)) / 2


model = Towers()
opt = torch.optim.AdamW(model.parameters(), lr=1e-3, weight_decay=1e-4)
for step in range(601):
    img, cap = scenes(64)
    loss = clip_loss(*model(img, cap), model.temperature)
    opt.zero_grad()
    loss.backward()
    opt.step()
    if step % 60 == 0:
        with torch.no_grad():
            img, cap = scenes(256)
            i, t = model(img, cap)
            r1 = ((i @ t.t()).argmax(1) == torch.arange(256)).float().mean().item()
        print(f"step {step} loss {loss.item():.4f} recall@1 of 256: {r1:.3f}")
