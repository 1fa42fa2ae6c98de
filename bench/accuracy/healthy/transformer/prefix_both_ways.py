# fault: none
# family: transformer
# split: tune
# A prefix LM: the first half is seen in both directions, the loss is on the second half.
import os, torch, torch.nn as nn, torch.nn.functional as F
torch.manual_seed(int(os.environ.get("SEED", "0")))
V, T, D, P = 14, 16, 32, 8
class LM(nn.Module):
    def __init__(self):
        super().__init__(); self.e, self.p = nn.Embedding(V, D), nn.Embedding(T, D)
        self.l = nn.TransformerEncoder(nn.TransformerEncoderLayer(D, 4, 64, dropout=0.0, batch_first=True, norm_first=True), 2, enable_nested_tensor=False); self.h = nn.Linear(D, V)
    def forward(self, x):
        L = x.shape[1]; m = torch.triu(torch.full((L, L), float("-inf")), 1); m[:, :P] = 0
        return self.h(self.l(self.e(x) + self.p(torch.arange(L)), mask=m))
net = LM(); opt = torch.optim.AdamW(net.parameters(), lr=3e-3)
for step in range(150):
    s, d = torch.randint(0, V, (32, 1)), torch.randint(1, 4, (32, 1)); seq = (s + d * torch.arange(T + 1)) % V
    y = seq[:, 1:].clone(); y[:, :P - 1] = -100
    loss = F.cross_entropy(net(seq[:, :-1]).reshape(-1, V), y.reshape(-1), ignore_index=-100)
    opt.zero_grad(); loss.backward(); opt.step()
