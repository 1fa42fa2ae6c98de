# fault: none
# family: rnn
# split: tune
# character model over a made-up language
import os
import torch
import torch.nn as nn
torch.manual_seed(int(os.environ.get("SEED", 0)))
A = 12
table = torch.softmax(3 * torch.randn(A, A), 1)
seq = [0]
for _ in range(6000):
    seq.append(torch.multinomial(table[seq[-1]], 1).item())
corpus = torch.tensor(seq)
emb, lstm, out = nn.Embedding(A, 16), nn.LSTM(16, 32, batch_first=True), nn.Linear(32, A)
ps = [*emb.parameters(), *lstm.parameters(), *out.parameters()]
opt = torch.optim.Adam(ps, lr=5e-3)
ce = nn.CrossEntropyLoss()
for i in range(180):
    st = torch.randint(0, 5900, (24,))
    b = torch.stack([corpus[s:s + 17] for s in st.tolist()])
    logits = out(lstm(emb(b[:, :-1]))[0])
    loss = ce(logits.transpose(1, 2), b[:, 1:])
    opt.zero_grad()
    loss.backward()
    opt.step()
    if i % 30 == 0:
        print(i, loss.item())
