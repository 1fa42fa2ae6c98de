# fault: no-gradient
# cause_class: not-updated, structure
# family: rnn
# split: tune
# twin: healthy/twins/hidden_data.py
import os
import torch
import torch.nn as nn
torch.manual_seed(int(os.environ.get("SEED", 0)))


class Tagger(nn.Module):
    def __init__(self, n_in=6, hidden=24, n_out=3):
        super().__init__()
        self.cell = nn.LSTMCell(n_in, hidden)
        self.fc = nn.Linear(hidden, n_out)
        self.hidden = hidden

    def forward(self, seq):
        h = c = torch.zeros(seq.size(0), self.hidden)
        for t in range(seq.size(1)):
            h, c = self.cell(seq[:, t], (h, c))
        return self.fc(h.data)


drift = torch.randn(3, 6) * 0.25
y_all = torch.randint(0, 3, (1280,))
x_all = drift[y_all][:, None] + torch.randn(1280, 8, 6) * 0.6
tagger = Tagger()
opt = torch.optim.Adam(tagger.parameters(), lr=5e-3)
criterion = nn.CrossEntropyLoss()
for epoch in range(3):
    for i in range(0, 1280, 32):
        loss = criterion(tagger(x_all[i:i + 32]), y_all[i:i + 32])
        opt.zero_grad()
        loss.backward()
        opt.step()
    print("epoch %d loss %.4f" % (epoch, loss.item()))
