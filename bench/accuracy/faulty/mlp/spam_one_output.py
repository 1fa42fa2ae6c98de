# fault: one-class-cross-entropy
# cause_class: structure, loss, output-activation
# family: mlp
# split: tune
# twin: healthy/twins/spam_one_output.py
import os
import torch
import torch.nn as nn
torch.manual_seed(int(os.environ.get("SEED", 0)))

V = 60
ham, spam = torch.rand(V), torch.rand(V) ** 3
y = torch.randint(0, 2, (2000,))
x = torch.poisson(torch.where(y[:, None] == 1, spam, ham)).log1p()

model = nn.Sequential(nn.Linear(V, 32), nn.ReLU(), nn.Linear(32, 1))
loss_fn = nn.CrossEntropyLoss()
opt = torch.optim.Adam(model.parameters(), lr=1e-3)
for epoch in range(4):
    for i in range(0, 1600, 40):
        out = model(x[i:i + 40])
        loss = loss_fn(out, y[i:i + 40, None].float())
        opt.zero_grad()
        loss.backward()
        opt.step()
    print("epoch", epoch, "loss", loss.item())
