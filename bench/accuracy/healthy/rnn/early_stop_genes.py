# fault: none
# family: rnn
# split: tune
import copy
import os

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.utils.rnn import pack_padded_sequence

torch.manual_seed(int(os.environ.get("SEED", 0)))


def genes(n, motif=(0, 2, 3, 1)):
    """Letters of four kinds, of unequal length; half of them hold the motif."""
    length = torch.randint(12, 25, (n,))
    x = torch.randint(0, 4, (n, 24))
    y = torch.randint(0, 2, (n,))
    for i in range(n):
        if y[i]:
            s = int(torch.randint(0, int(length[i]) - 3, (1,)))
            x[i, s:s + 4] = torch.tensor(motif)
        else:
            w = x[i].unfold(0, 4, 1)
            for s in (w == torch.tensor(motif)).all(1).nonzero().flatten():
                x[i, s + 1] = 0
    x = x.masked_fill(torch.arange(24) >= length[:, None], 4)
    return x, length, y


class Scanner(nn.Module):
    def __init__(self, h=32):
        super().__init__()
        self.emb = nn.Embedding(5, 12, padding_idx=4)
        self.rnn = nn.GRU(12, h, batch_first=True, bidirectional=True)
        self.out = nn.Linear(2 * h, 2)

    def forward(self, x, length):
        packed = pack_padded_sequence(self.emb(x), length, batch_first=True, enforce_sorted=False)
        states, _ = nn.utils.rnn.pad_packed_sequence(self.rnn(packed)[0], batch_first=True)
        pad = torch.arange(states.shape[1]) >= length[:, None]
        return self.out(states.masked_fill(pad[..., None], -1e4).max(1).values)


tr, va = genes(1000), genes(300)
net = Scanner()
opt = torch.optim.Adam(net.parameters(), lr=5e-3)
best, patience, keep = 9.0, 0, None
for epoch in range(9):
    net.train()
    tot = 0.0
    for idx in torch.randperm(1000).split(50):
        loss = F.cross_entropy(net(tr[0][idx], tr[1][idx]), tr[2][idx])
        opt.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        opt.step()
        tot += loss.item()
    net.eval()
    with torch.no_grad():
        out = net(va[0], va[1])
        v = F.cross_entropy(out, va[2]).item()
    print(f"epoch {epoch} loss {tot / 20:.4f} valid {v:.4f} acc {(out.argmax(1) == va[2]).float().mean():.3f}")
    if v < best - 1e-3:
        best, patience, keep = v, 0, copy.deepcopy(net.state_dict())
    else:
        patience += 1
        if patience == 3:
            break
net.load_state_dict(keep)
