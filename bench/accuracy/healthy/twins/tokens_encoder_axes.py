# fault: none
# family: transformer
# split: tune
"""Does a rare token occur in the sequence? A small encoder over token embeddings."""
import os
import torch
from torch import nn

torch.manual_seed(int(os.environ.get("SEED", 0)))
tokens = torch.randint(0, 24, (1200, 14))
labels = ((tokens == 3).any(1)).long()


class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(24, 32)
        layer = nn.TransformerEncoderLayer(32, 4, 64, dropout=0.0, batch_first=True)
        self.encoder = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)
        self.out = nn.Linear(32, 2)

    def forward(self, t):
        return self.out(self.encoder(self.embed(t))[:, 0])


model = Encoder()
opt = torch.optim.Adam(model.parameters(), lr=1e-3)
for epoch in range(6):
    for i in torch.randperm(1200).split(32):
        loss = nn.functional.cross_entropy(model(tokens[i]), labels[i])
        opt.zero_grad()
        loss.backward()
        opt.step()
    print(epoch, loss.item())
