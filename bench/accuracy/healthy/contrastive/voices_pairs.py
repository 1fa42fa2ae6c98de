# fault: none
# family: contrastive
# split: held
"""Embeddings of voices: two recordings of one speaker lie close together."""
import os
import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(int(os.environ.get("SEED", 0)))
SPEAKERS = 410
voice = torch.randn(SPEAKERS, 12)
mixing = torch.randn(12, 30) * 0.4


def record(who):
    room = 0.5 * torch.randn(len(who), 12)
    return torch.tanh((voice[who] + room) @ mixing) + 0.1 * torch.randn(len(who), 30)


net = nn.Sequential(nn.Linear(30, 64), nn.ReLU(), nn.Linear(64, 16))
opt = torch.optim.SGD(net.parameters(), lr=0.003, momentum=0.9)


def loss_of(who):
    a, b = net(record(who)), net(record(who))
    logits = -torch.cdist(a, b) ** 2
    return F.cross_entropy(logits, torch.arange(len(who))), (logits.argmax(1) == torch.arange(len(who))).float().mean()


for step in range(1, 601):
    who = torch.randperm(380)[:24]
    loss, _ = loss_of(who)
    opt.zero_grad()
    loss.backward()
    opt.step()
    if step % 60 == 0:
        with torch.no_grad():
            rounds = [loss_of(torch.arange(380, 410)) for _ in range(30)]
        print(f"step {step} loss {loss.item():.4f} | new speakers: loss {sum(r[0] for r in rounds) / 30:.4f} found {sum(r[1] for r in rounds) / 30:.3f}")
