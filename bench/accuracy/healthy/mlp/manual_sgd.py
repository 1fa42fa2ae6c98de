# fault: none
# family: mlp
# split: tune
# No torch.optim: parameters are tensors, the update is written by hand under no_grad.
import os

import torch

torch.manual_seed(int(os.environ.get("SEED", "0")))

n_in, n_hidden, n_out = 14, 40, 3
x = torch.randn(1000, n_in)
labels = (x[:, :3] + 0.3 * torch.randn(1000, 3)).argmax(1)

W1 = (torch.randn(n_in, n_hidden) / n_in**0.5).requires_grad_()
b1 = torch.zeros(n_hidden, requires_grad=True)
W2 = (torch.randn(n_hidden, n_out) / n_hidden**0.5).requires_grad_()
b2 = torch.zeros(n_out, requires_grad=True)
params = [W1, b1, W2, b2]
lr = 0.2


def model(xb):
    h = (xb @ W1 + b1).clamp(min=0)
    logits = h @ W2 + b2
    return logits - logits.logsumexp(1, keepdim=True)


history = []
for it in range(300):
    pick = torch.randint(0, 1000, (50,))
    logp = model(x[pick])
    loss = -logp[torch.arange(50), labels[pick]].mean()
    loss.backward()
    with torch.no_grad():
        for p in params:
            p -= lr * p.grad
            p.grad.zero_()
    history.append(loss.item())
print(f"loss first {history[0]:.4f} last {sum(history[-20:]) / 20:.4f}")
