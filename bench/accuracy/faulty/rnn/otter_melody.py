# fault: softmax-twice
# cause_class: output-activation, loss
# family: rnn
# split: held
import os
import torch
from torch import nn
from torch.distributions import Categorical

torch.manual_seed(int(os.environ.get("SEED", 0)))
NOTES = 24


class Melody(nn.Module):
    def __init__(self):
        super().__init__()
        self.emb = nn.Embedding(NOTES, 24)
        self.lstm = nn.LSTM(24, 48, batch_first=True)
        self.proj = nn.Linear(48, NOTES)

    def forward(self, notes):
        h, _ = self.lstm(self.emb(notes))
        return Categorical(logits=self.proj(h))

    @torch.no_grad()
    def continue_(self, notes, n):
        for _ in range(n):
            nxt = self(notes).sample()[:, -1:]
            notes = torch.cat([notes, nxt], 1)
        return notes


def tunes(n, length=17):
    start = torch.randint(0, NOTES, (n, 1))
    step = torch.randint(1, 4, (n, 1))
    clean = (start + step * torch.arange(length)) % NOTES
    noise = torch.randint(0, NOTES, clean.shape)
    return torch.where(torch.rand(clean.shape) < 0.05, noise, clean)


def nll(dist, target):
    return nn.functional.cross_entropy(dist.probs.flatten(0, 1), target.flatten())


net = Melody()
optim = torch.optim.Adam(net.parameters(), lr=3e-3)
ema = None
for step in range(300):
    s = tunes(32)
    loss = nll(net(s[:, :-1]), s[:, 1:])
    optim.zero_grad()
    loss.backward()
    optim.step()
    ema = loss.item() if ema is None else 0.95 * ema + 0.05 * loss.item()
    if step % 30 == 29:
        print(step + 1, round(ema, 4))
print(net.continue_(tunes(1)[:, :6], 8).tolist())
