# fault: none
# family: rl
# split: held
import math
import os
import torch
import torch.nn.functional as F

torch.manual_seed(int(os.environ.get("SEED", 0)))
# ten machines, payouts with much noise; the policy is a table of preferences
means = torch.linspace(-1, 1, 10)[torch.randperm(10)]
prefs = torch.zeros(10, requires_grad=True)
opt = torch.optim.SGD([prefs], lr=0.3)
baseline, avg = 0.0, 0.0
for t in range(1, 2001):
    probs = F.softmax(prefs, 0)
    a = torch.multinomial(probs, 16, replacement=True)
    r = means[a] + 1.0 * torch.randn(16)
    loss = -((r - baseline) * F.log_softmax(prefs, 0)[a]).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    baseline += 0.02 * (r.mean().item() - baseline)
    avg += 0.02 * (r.mean().item() - avg)
    if t % 200 == 0:
        print(f"pull {t}: loss {loss.item():+.3f} mean payout {avg:.3f} best possible {means.max().item():.3f} p(best) {probs[means.argmax()].item():.3f}")
