# fault: eval-in-train-mode
# cause_class: eval-mode
# family: mlp
# split: held
import os
import copy
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(int(os.environ.get("SEED", 0)))

# --------------------------------------------------------------------------
# electrical power of a pump from eight operating values
# --------------------------------------------------------------------------
X = torch.randn(2000, 8)
Y = torch.sin(1.5 * X[:, 0]) * X[:, 1] + 0.5 * X[:, 2] ** 2 - X[:, 3] + 0.3 * X[:, 4] * X[:, 5]
Y = ((Y - Y.mean()) / Y.std()).unsqueeze(1) + 0.05 * torch.randn(2000, 1)
X_train, Y_train, X_val, Y_val = X[:1500], Y[:1500], X[1500:], Y[1500:]


class PumpNet(nn.Module):
    def __init__(self, n_in=8, width=96, p=0.25):
        super().__init__()
        self.l1 = nn.Linear(n_in, width)
        self.l2 = nn.Linear(width, width)
        self.l3 = nn.Linear(width, width)
        self.out = nn.Linear(width, 1)
        self.p = p

    def _hidden(self, layer, h):
        return F.dropout(F.silu(layer(h)), self.p)

    def forward(self, x):
        for layer in (self.l1, self.l2, self.l3):
            x = self._hidden(layer, x)
        return self.out(x)


def batches(bs=64):
    order = torch.randperm(len(X_train))
    for chunk in order.split(bs):
        yield X_train[chunk], Y_train[chunk]


net = PumpNet()
opt = torch.optim.AdamW(net.parameters(), lr=2e-3, weight_decay=1e-3)
best, best_state, bad = float("inf"), None, 0
for epoch in range(40):
    net.train()
    tl = 0.0
    for xb, yb in batches():
        loss = F.mse_loss(net(xb), yb)
        opt.zero_grad()
        loss.backward()
        opt.step()
        tl += loss.item() * len(xb) / len(X_train)
    net.eval()
    with torch.no_grad():
        vl = F.mse_loss(net(X_val), Y_val).item()
        again = F.mse_loss(net(X_val), Y_val).item()
    if epoch % 4 == 0:
        print(f"{epoch:3d}  train mse {tl:.4f}  val mse {vl:.4f} ({again:.4f})")
    if vl < best:
        best, best_state, bad = vl, copy.deepcopy(net.state_dict()), 0
    else:
        bad += 1
net.load_state_dict(best_state)
net.eval()
with torch.no_grad():
    p = net(X_val[:3]).squeeze()
    print("best val", round(best, 4), "three predictions:", p.tolist(), "truth:", Y_val[:3].squeeze().tolist())
