# fault: none
# family: transformer
# split: held
# set: badger, unseen
# metric: accuracy higher
# baseline: 0.5
# reaches: 0.95
# k-sparse parity of +-1 bits. Nothing to see for several hundred updates, then it goes quickly.
import os
import torch
from torch import nn

torch.manual_seed(int(os.environ.get("SEED", 0)))
N_BITS, K, WIDTH, BATCH, STEPS = 20, 3, 256, 128, 1500


def draw(n, support):
    x = torch.randint(0, 2, (n, N_BITS)).float() * 2 - 1
    return x, x[:, support].prod(1)


support = torch.randperm(N_BITS)[:K]
model = nn.Sequential(nn.Linear(N_BITS, WIDTH), nn.ReLU(), nn.Linear(WIDTH, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.0, weight_decay=1e-3)
x_val, y_val = draw(2000, support)

history = []
for it in range(STEPS):
    x, y = draw(BATCH, support)
    margin = y * model(x)[:, 0]
    loss = torch.clamp(1 - margin, min=0).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    history.append(loss.item())
    if it % 100 == 99:
        with torch.no_grad():
            v = torch.clamp(1 - y_val * model(x_val)[:, 0], min=0).mean().item()
        print(f"{it + 1:5d} hinge {sum(history[-100:]) / 100:.4f} val {v:.4f}")

with torch.no_grad():
    acc = ((model(x_val)[:, 0] > 0) == (y_val > 0)).float().mean().item()
print("always +1:", max((y_val > 0).float().mean().item(), (y_val < 0).float().mean().item()))
print(f"result: accuracy {acc:.4f}")
