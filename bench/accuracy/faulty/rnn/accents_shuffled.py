# fault: labels-shuffled
# cause_class: labels, data-loading
# family: rnn
# split: tune
# twin: healthy/twins/accents_shuffled.py
import os
import random
import torch
import torch.nn as nn

seed = int(os.environ.get("SEED", 0))
random.seed(seed)
torch.manual_seed(seed)

# each class walks with its own drift
DRIFT = torch.tensor([[0.3, 0.0], [-0.3, 0.1], [0.0, 0.35], [0.1, -0.3]])
names, walks = [], []
for k in range(6400):
    c = random.randrange(4)
    names.append(c)
    walks.append(DRIFT[c] + 0.5 * torch.randn(15, 2))

random.shuffle(walks)
pairs = list(zip(walks, names))
random.shuffle(pairs)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.lstm = nn.LSTM(2, 20, batch_first=True)
        self.fc = nn.Linear(20, 4)

    def forward(self, x):
        _, (h, _) = self.lstm(x)
        return self.fc(h[0])


net = Net()
optimizer = torch.optim.RMSprop(net.parameters(), lr=0.003)
loss_fn = nn.CrossEntropyLoss()
for i in range(0, len(pairs), 32):
    chunk = pairs[i:i + 32]
    x = torch.stack([w for w, _ in chunk])
    y = torch.tensor([c for _, c in chunk])
    loss = loss_fn(net(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if i % 1280 == 0:
        print("seen", i, "loss", round(loss.item(), 3))
