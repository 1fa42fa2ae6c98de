# fault: none
# family: mlp
# split: held
import os
import torch
import torch.nn.functional as F

torch.manual_seed(int(os.environ.get("SEED", 0)))
# functional style: parameters in a dict, no module and no optimizer
params = {
    "w1": torch.randn(10, 40) * (2 / 10) ** 0.5, "b1": torch.zeros(40),
    "w2": torch.randn(40, 40) * (2 / 40) ** 0.5, "b2": torch.zeros(40),
    "w3": torch.randn(40, 3) * (1 / 40) ** 0.5, "b3": torch.zeros(3),
}
for p in params.values():
    p.requires_grad_()


def forward(p, x):
    h = torch.relu(x @ p["w1"] + p["b1"])
    h = torch.relu(h @ p["w2"] + p["b2"])
    return h @ p["w3"] + p["b3"]


X = torch.randn(4000, 10)
s = X[:, 0] * X[:, 1] + X[:, 2]
Y = torch.bucketize(s, torch.tensor([-0.6, 0.6]))
lr = 0.2
for epoch in range(15):
    for b in torch.randperm(3400).split(68):
        loss = F.cross_entropy(forward(params, X[b]), Y[b])
        grads = torch.autograd.grad(loss, list(params.values()))
        with torch.no_grad():
            for p, g in zip(params.values(), grads):
                p -= lr * g
    lr *= 0.9
    with torch.no_grad():
        o = forward(params, X[3400:])
    print(f"epoch {epoch} loss {loss.item():.4f} val {F.cross_entropy(o, Y[3400:]).item():.4f} acc {(o.argmax(1) == Y[3400:]).float().mean().item():.3f}")
