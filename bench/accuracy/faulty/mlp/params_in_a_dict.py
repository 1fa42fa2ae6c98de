# fault: softmax-twice
# cause_class: output-activation, loss
# family: mlp
# split: tune
import os

import torch
import torch.nn.functional as F

torch.manual_seed(int(os.environ.get("SEED", 0)))


def init(sizes):
    params = {}
    for i, (fan_in, fan_out) in enumerate(zip(sizes[:-1], sizes[1:])):
        params[f"w{i}"] = (torch.randn(fan_out, fan_in) / fan_in**0.5).requires_grad_()
        params[f"b{i}"] = torch.zeros(fan_out, requires_grad=True)
    return params


def forward(params, x):
    x = torch.relu(F.linear(x, params["w0"], params["b0"]))
    x = torch.relu(F.linear(x, params["w1"], params["b1"]))
    return torch.softmax(F.linear(x, params["w2"], params["b2"]), -1)


centres = torch.randn(10, 20)
y = torch.randint(0, 10, (2000,))
x = centres[y] + torch.randn(2000, 20)
params = init([20, 64, 64, 10])
optimizer = torch.optim.SGD(params.values(), lr=0.1, momentum=0.9)
for epoch in range(8):
    order = torch.randperm(len(x))
    for i in range(0, len(x), 50):
        rows = order[i : i + 50]
        optimizer.zero_grad()
        loss = F.cross_entropy(forward(params, x[rows]), y[rows])
        loss.backward()
        optimizer.step()
    print(epoch, loss.item())
