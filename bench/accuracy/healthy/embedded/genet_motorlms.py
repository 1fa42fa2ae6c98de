# fault: none
# family: embedded
# split: held
# Online model of a motor winding temperature, one sample per update (that is what the ECU does too).
# error is summed over the 3 outputs; step is normalised by the input power (NLMS), so 0.5 is a usual rate
import os
import torch

torch.manual_seed(int(os.environ.get("SEED", 0)))
torch.set_default_dtype(torch.float64)
A = torch.randn(12, 3)
w = torch.zeros(12, 3, requires_grad=True)
MU = 0.5
window = []
for n in range(1, 1501):
    u = torch.randn(12) * 3.0
    y = u @ A + 0.05 * torch.randn(3)
    err = y - u @ w
    cost = err.square().sum()
    cost.backward()
    with torch.no_grad():
        w -= MU * w.grad / (2 * (u @ u) + 1e-6)
        w.grad.zero_()
    window.append(cost.item())
    if n in (10, 50, 150, 500, 1000, 1500):
        print(f"sample {n:5d}  cost (last 10) {sum(window[-10:]) / 10:10.4f}  weight error {(w.detach() - A).norm().item():.4f}")
