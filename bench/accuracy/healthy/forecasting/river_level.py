# fault: none
# family: forecasting
# split: held
import os
import numpy as np
import torch
import torch.nn as nn

SEED = int(os.environ.get("SEED", 0))
np.random.seed(SEED)
torch.manual_seed(SEED)

# synthetic gauge: season + rain pulses that decay
T = 3000
rain = (np.random.rand(T) < 0.08) * np.random.exponential(1.0, T)
level = np.zeros(T)
for t in range(1, T):
    level[t] = 0.93 * level[t - 1] + rain[t]
level = level + 1.2 * np.sin(np.arange(T) / 50)
level = (level - level.mean()) / level.std()
rain = (rain - rain.mean()) / rain.std()

H = 24
X = np.stack([np.concatenate([level[t - H:t], rain[t - H:t]]) for t in range(H, T)]).astype("float32")
Y = level[H:].astype("float32")[:, None]
X, Y = torch.from_numpy(X), torch.from_numpy(Y)
ntr = 2300

model = nn.Sequential(
    nn.Linear(2 * H, 64), nn.ReLU(),
    nn.Linear(64, 64), nn.ReLU(),
    nn.Linear(64, 1),
)
opt = torch.optim.Adam(model.parameters(), lr=5e-4)
mse = nn.MSELoss()
for epoch in range(10):
    for b in torch.randperm(ntr).split(32):
        loss = mse(model(X[b]), Y[b])
        opt.zero_grad()
        loss.backward()
        opt.step()
    with torch.no_grad():
        print(f"epoch {epoch}: train mse {mse(model(X[:ntr]), Y[:ntr]).item():.4f}, test mse {mse(model(X[ntr:]), Y[ntr:]).item():.4f}")
