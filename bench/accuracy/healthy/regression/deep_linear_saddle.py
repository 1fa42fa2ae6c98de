# fault: none
# family: regression
# split: held
# matrix factorised into three; starts near the saddle at zero, waits there for a while
import os
import torch

torch.manual_seed(int(os.environ.get("SEED", 0)))
target = torch.randn(6, 12) / 12 ** 0.5
X = torch.randn(1500, 12)
Y = X @ target.t() + 0.05 * torch.randn(1500, 6)
Xv, Yv = torch.randn(300, 12), None
Yv = Xv @ target.t()
A = torch.nn.Parameter(0.06 * torch.randn(16, 12))
B = torch.nn.Parameter(0.06 * torch.randn(16, 16))
C = torch.nn.Parameter(0.06 * torch.randn(6, 16))
opt = torch.optim.SGD([A, B, C], lr=0.1, momentum=0.9)
for step in range(1500):
    b = torch.randint(1500, (64,))
    loss = ((X[b] @ A.t() @ B.t() @ C.t() - Y[b]) ** 2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    if step % 100 == 99:
        with torch.no_grad():
            v = ((Xv @ A.t() @ B.t() @ C.t() - Yv) ** 2).mean()
        print(f"step {step + 1:5d} train {loss.item():.5f} val {v.item():.5f}")
