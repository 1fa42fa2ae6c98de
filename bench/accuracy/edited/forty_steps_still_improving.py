# fault: none
# family: vision
# split: held
# set: heron, unseen
# metric: accuracy higher
# baseline: 0.11
# reaches: 0.75
# Unusual: only 40 steps with a fixed budget; it ends while the loss is still falling fast and has no validation at all before the end
import os
import torch
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

seed = int(os.environ.get("SEED", 0))
torch.manual_seed(seed)
d = load_digits()
X, y = torch.tensor(d.images / 16.0, dtype=torch.float32).unsqueeze(1), torch.tensor(d.target)
tr, te = train_test_split(torch.arange(len(y)), test_size=0.3, random_state=seed)

model = torch.nn.Sequential(
    torch.nn.Conv2d(1, 32, 3, padding=1), torch.nn.GELU(),
    torch.nn.Conv2d(32, 64, 3, stride=2, padding=1), torch.nn.GELU(),
    torch.nn.Flatten(), torch.nn.Linear(64 * 16, 10),
)
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
for step in range(40):
    batch = tr[torch.randperm(len(tr))[:64]]
    loss = torch.nn.functional.cross_entropy(model(X[batch]), y[batch])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(f"step {step:2d} loss {loss.item():.4f}")
with torch.no_grad():
    acc = (model(X[te]).argmax(1) == y[te]).float().mean().item()
print(f"result: accuracy {acc:.4f}")
