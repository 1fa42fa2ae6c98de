# fault: learning-rate-too-low
# cause_class: learning-rate
# family: transformer
# split: tune
# twin: healthy/twins/sort_slow.py
# sort digits with a small encoder
import os, torch
import torch.nn as nn
import torch.nn.functional as F
torch.manual_seed(int(os.environ.get("SEED", 0)))
D, V, L = 32, 8, 6
emb = nn.Embedding(V, D)
pos = nn.Parameter(0.02 * torch.randn(1, L, D))
enc = nn.TransformerEncoder(nn.TransformerEncoderLayer(D, 4, 64, 0.0, activation="gelu", batch_first=True, norm_first=True), 2, enable_nested_tensor=False)
head = nn.Linear(D, V)
model = nn.ModuleDict(dict(emb=emb, enc=enc, head=head))
params = list(model.parameters()) + [pos]
opt = torch.optim.AdamW(params, lr=3e-8)
for it in range(160):
    x = torch.randint(V, (48, L))
    y = x.sort(1).values
    out = head(enc(emb(x) + pos))
    loss = F.cross_entropy(out.view(-1, V), y.view(-1))
    opt.zero_grad()
    loss.backward()
    opt.step()
    if it % 20 == 0: print(it, loss.item())
