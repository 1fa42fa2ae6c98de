# fault: none
# family: transformer
# split: held
import os
import torch
from torch import nn

torch.manual_seed(int(os.environ.get("SEED", 0)))

# species (0..8) from short call recordings: 16 frames with 10 bands
SPECIES = 9
motif = torch.randn(SPECIES, 16, 10)


def record(n):
    s = torch.randint(SPECIES, (n,))
    return motif[s] + 1.0 * torch.randn(n, 16, 10), s


class CallNet(nn.Module):
    def __init__(self, out):
        super().__init__()
        self.inp = nn.Linear(10, 32)
        self.pos = nn.Parameter(torch.randn(16, 32) * 0.1)
        self.enc = nn.TransformerEncoderLayer(32, 2, 64, dropout=0.1, batch_first=True)
        self.out = nn.Linear(32, out)

    def forward(self, x):
        return self.out(self.enc(self.inp(x) + self.pos).mean(1))


X, S = record(2000)
XV, SV = record(400)
net = CallNet(SPECIES)
criterion = nn.CrossEntropyLoss()
optimizer = torch.optim.AdamW(net.parameters(), lr=1e-3)
for epoch in range(8):
    net.train()
    for b in torch.randperm(2000).split(40):
        out = net(X[b])
        loss = criterion(out, S[b])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    net.eval()
    with torch.no_grad():
        out = net(XV)
        guess = out.argmax(1)
        val = criterion(out, SV)
        print(f"epoch {epoch + 1} loss {loss.item():.4f} val {val.item():.4f} right {(guess == SV).float().mean().item():.3f}")
