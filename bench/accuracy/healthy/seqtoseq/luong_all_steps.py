# fault: none
# family: seqtoseq
# split: tune
# Reversing digits: LSTM encoder and decoder, attention of all decoder steps at once.
import os, torch, torch.nn as nn, torch.nn.functional as F
torch.manual_seed(int(os.environ.get("SEED", "0")))
V, L, D = 12, 9, 48
class Seq2Seq(nn.Module):
    def __init__(self):
        super().__init__()
        self.src = nn.Embedding(V, D); self.tgt = nn.Embedding(V, D)
        self.enc = nn.LSTM(D, D, batch_first=True); self.dec = nn.LSTM(D, D, batch_first=True)
        self.out = nn.Linear(2 * D, V)
    def forward(self, src, tgt):
        memory, state = self.enc(self.src(src))
        h, _ = self.dec(self.tgt(tgt), state)
        weights = torch.softmax(h @ memory.transpose(1, 2), dim=-1)
        return self.out(torch.cat([h, weights @ memory], -1))
net = Seq2Seq(); opt = torch.optim.Adam(net.parameters(), lr=3e-3)
for step in range(150):
    src = torch.randint(2, V, (32, L))
    tgt = torch.cat([torch.ones(32, 1, dtype=torch.long), src.flip(1)], 1)
    logits = net(src, tgt[:, :-1])
    loss = F.cross_entropy(logits.reshape(-1, V), tgt[:, 1:].reshape(-1))
    opt.zero_grad(); loss.backward(); opt.step()
