# fault: none
# family: regression
# split: held
import os

import torch

torch.manual_seed(int(os.environ.get("SEED", 0)))

# a spectrum of four peaks on a sloping background
x = torch.linspace(-1, 1, 400)


class Peaks(torch.nn.Module):
    def __init__(self, centres, heights, widths):
        super().__init__()
        self.c = torch.nn.Parameter(torch.tensor(centres))
        self.h = torch.nn.Parameter(torch.tensor(heights))
        self.log_w = torch.nn.Parameter(torch.tensor(widths).log())
        self.line = torch.nn.Parameter(torch.zeros(2))

    def forward(self, x):
        g = torch.exp(-0.5 * ((x[:, None] - self.c) / self.log_w.exp()) ** 2)
        return g @ self.h + self.line[0] + self.line[1] * x


with torch.no_grad():
    truth = Peaks([-0.62, -0.2, 0.15, 0.6], [1.0, 0.6, 1.4, 0.8], [0.06, 0.1, 0.07, 0.12])
    truth.line.copy_(torch.tensor([0.2, 0.15]))
    y = truth(x) + 0.02 * torch.randn(len(x))

model = Peaks([-0.5, -0.1, 0.1, 0.5], [0.5, 0.5, 0.5, 0.5], [0.15, 0.15, 0.15, 0.15])
opt = torch.optim.LBFGS(model.parameters(), lr=0.3, max_iter=1, history_size=10)
for it in range(150):
    def closure():
        opt.zero_grad()
        loss = ((model(x) - y) ** 2).mean()
        loss.backward()
        return loss
    loss = opt.step(closure)
    if it % 15 == 0 or it == 149:
        print(f"{it:3d} {loss.item():.6f}")
print("centres", [round(v, 3) for v in model.c.tolist()])
