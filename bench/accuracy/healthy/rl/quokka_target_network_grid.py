# fault: none
# family: rl
# split: tune
import copy
import os
import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(int(os.environ.get("SEED", "0")))
N = 8
q = nn.Sequential(nn.Linear(N, 64), nn.ReLU(), nn.Linear(64, 2))
target = copy.deepcopy(q).requires_grad_(False)
opt = torch.optim.Adam(q.parameters(), lr=1e-3)
eye = torch.eye(N)
for step in range(900):
    s, a = torch.randint(0, N - 1, (64,)), torch.randint(0, 2, (64,))
    s2 = (s + 2 * a - 1).clamp(min=0)
    done = (s2 == N - 1).float()
    with torch.no_grad():
        best = q(eye[s2]).argmax(1, keepdim=True)
        y = done + 0.9 * (1 - done) * target(eye[s2]).gather(1, best).squeeze(1)
    loss = F.smooth_l1_loss(q(eye[s]).gather(1, a[:, None]).squeeze(1), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
    with torch.no_grad():
        for t, p in zip(target.parameters(), q.parameters()):
            t.lerp_(p, 0.02)
    if step % 150 == 149:
        right = (q(eye[: N - 1]).argmax(1) == 1).float().mean()
        print(step + 1, f"loss {loss.item():.5f} value at the start {q(eye[:1]).max().item():.3f} of {0.9 ** (N - 2):.3f} right moves {right:.2f}")
