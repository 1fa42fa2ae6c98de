# fault: none
# family: mlp
# split: held
import os, torch
torch.manual_seed(int(os.environ.get("SEED", 0)))
# plain logistic regression, step size 5 is right for these features (they are in 0..0.3)
N, D = 2500, 30
X = torch.rand(N, D) * 0.3
w = torch.randn(D)
Y = ((X - 0.15) @ w + 0.1 * torch.randn(N) > 0).float()
X = X - X[:2000].mean(0)
lin = torch.nn.Linear(D, 1)
opt = torch.optim.SGD(lin.parameters(), lr=5.0)
bce = torch.nn.functional.binary_cross_entropy_with_logits
for ep in range(20):
    s = 0
    for b in torch.randperm(2000).split(50):
        loss = bce(lin(X[b])[:, 0], Y[b])
        opt.zero_grad(); loss.backward(); opt.step()
        s += loss.item() / 40
    with torch.no_grad():
        z = lin(X[2000:])[:, 0]
        print(ep, f"train {s:.4f} val {bce(z, Y[2000:]):.4f} acc {((z > 0) == (Y[2000:] > .5)).float().mean():.3f}")
