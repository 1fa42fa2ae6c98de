# fault: none
# family: rnn
# split: tune
import os
import torch
import torch.nn as nn
torch.manual_seed(int(os.environ.get("SEED", 0)))

# milliseconds between key presses; who is typing?
who = torch.randint(0, 3, (1200,))
speed = torch.tensor([110., 160., 220.])
gaps = (speed[who][:, None] + 40 * torch.randn(1200, 12)).clamp(min=20)
x = gaps.unsqueeze(-1)
x = (x - 163) / 55


class KeyNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = nn.RNN(1, 32, nonlinearity="tanh", batch_first=True)
        self.fc = nn.Linear(32, 3)

    def forward(self, s):
        return self.fc(self.rnn(s)[0][:, -1])


net = KeyNet()
opt = torch.optim.SGD(net.parameters(), lr=0.02, momentum=0.9)
for epoch in range(6):
    for b in torch.randperm(1200).split(40):
        loss = nn.functional.cross_entropy(net(x[b]), who[b])
        opt.zero_grad()
        loss.backward()
        opt.step()
    print("epoch", epoch, "loss", loss.item())
