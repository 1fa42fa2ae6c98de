# fault: clip-too-tight
# cause_class: optimizer, learning-rate
# family: rnn
# split: tune
# twin: healthy/twins/clip_value_tiny.py
import os
import torch
import torch.nn as nn
torch.manual_seed(int(os.environ.get("SEED", 0)))

# two-tone signals: which one is louder?
t = torch.arange(25.)
a, b = torch.rand(1000, 1), torch.rand(1000, 1)
x = a * torch.sin(0.3 * t + 6.28 * torch.rand(1000, 1)) + b * torch.sin(2.0 * t + 6.28 * torch.rand(1000, 1))
y = (a > b).float()


class Ear(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = nn.GRU(5, 24, batch_first=True)
        self.out = nn.Linear(24, 1)

    def forward(self, s):
        return self.out(self.rnn(s.view(-1, 5, 5))[0].amax(1))


ear = Ear()
sgd = torch.optim.SGD(ear.parameters(), lr=0.3, momentum=0.9)
bce = nn.BCEWithLogitsLoss()
for epoch in range(8):
    for i in range(0, 1000, 40):
        sgd.zero_grad()
        loss = bce(ear(x[i:i + 40]), y[i:i + 40])
        loss.backward()
        nn.utils.clip_grad_value_(ear.parameters(), 1e-7)
        sgd.step()
    print("epoch", epoch, "loss", loss.item())
