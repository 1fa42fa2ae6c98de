# fault: init-too-large
# cause_class: initialisation
# family: functional
# split: tune
import os
import torch
import torch.nn.functional as F

torch.manual_seed(int(os.environ.get("SEED", 0)))
n, d, h, k = 1500, 100, 200, 6
x = torch.randn(n, d)
y = (x[:, :20] @ torch.randn(20, k)).argmax(1)
P = {}
for name, (o, i) in dict(a=(h, d), b=(h, h), c=(k, h)).items():
    P[name + ".w"] = torch.randn(o, i).requires_grad_(True)
    P[name + ".b"] = torch.zeros(o).requires_grad_(True)


def model(x, P):
    for name in "ab":
        x = torch.tanh(F.linear(x, P[name + ".w"], P[name + ".b"]))
    return F.linear(x, P["c.w"], P["c.b"])


opt = torch.optim.SGD(P.values(), lr=0.02, momentum=0.9)
for it in range(400):
    i = torch.randint(0, n, (50,))
    loss = F.cross_entropy(model(x[i], P), y[i])
    opt.zero_grad()
    loss.backward()
    opt.step()
    if it % 50 == 0:
        print(it, loss.item())
