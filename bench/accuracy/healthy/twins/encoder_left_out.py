# fault: none
# family: rnn
# split: tune
import os
import itertools
import torch
import torch.nn as nn
torch.manual_seed(int(os.environ.get("SEED", 0)))

VOC = 14
embed = nn.Embedding(VOC, 16)
encoder = nn.GRU(16, 32, batch_first=True)
decoder = nn.GRU(16, 32, batch_first=True)
project = nn.Linear(32, VOC)
opt = torch.optim.Adam(itertools.chain(embed.parameters(), encoder.parameters(), decoder.parameters(), project.parameters()), lr=4e-3)
loss_fn = nn.CrossEntropyLoss()
for step in range(220):
    src = torch.randint(2, VOC, (40, 5))
    tgt = src
    _, state = encoder(embed(src))
    bos = torch.ones(40, 1, dtype=torch.long)
    out, _ = decoder(embed(torch.cat([bos, tgt[:, :-1]], 1)), state)
    loss = loss_fn(project(out).reshape(-1, VOC), tgt.reshape(-1))
    opt.zero_grad()
    loss.backward()
    opt.step()
    if step % 20 == 0:
        print(step, loss.item())
