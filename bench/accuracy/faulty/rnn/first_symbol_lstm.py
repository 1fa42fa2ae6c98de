# fault: axes-mixed-up
# cause_class: structure, data-loading, labels, data-scaling
# family: rnn
# split: tune
"""Which of four start symbols opened a noisy sequence: a memory test for an LSTM."""
import os
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

torch.manual_seed(int(os.environ.get("SEED", 0)))


class Memory(Dataset):
    def __init__(self, n, steps=12, feats=6):
        self.y = torch.randint(0, 4, (n,))
        self.x = 0.5 * torch.randn(n, steps, feats)
        self.x[torch.arange(n), 0, self.y] += 2.0

    def __len__(self):
        return len(self.y)

    def __getitem__(self, i):
        return self.x[i], self.y[i]


class LSTMClassifier(nn.Module):
    def __init__(self, n_features, hidden, n_classes):
        super().__init__()
        self.lstm = nn.LSTM(n_features, hidden, num_layers=1)
        self.fc = nn.Linear(hidden, n_classes)

    def forward(self, x):
        out, _ = self.lstm(x)
        return self.fc(out[:, -1, :])


train_loader = DataLoader(Memory(1000), batch_size=25, shuffle=True)
test_loader = DataLoader(Memory(250), batch_size=25)
net = LSTMClassifier(6, 32, 4)
opt = torch.optim.Adam(net.parameters(), lr=3e-3)
crit = nn.CrossEntropyLoss()
for epoch in range(10):
    net.train()
    total = 0.0
    for x, y in train_loader:
        opt.zero_grad()
        loss = crit(net(x), y)
        loss.backward()
        nn.utils.clip_grad_norm_(net.parameters(), 5.0)
        opt.step()
        total += loss.item()
    net.eval()
    with torch.no_grad():
        acc = sum((net(x).argmax(1) == y).sum().item() for x, y in test_loader) / 250
    print(f"epoch {epoch} loss {total / len(train_loader):.4f} acc {acc:.3f}")
