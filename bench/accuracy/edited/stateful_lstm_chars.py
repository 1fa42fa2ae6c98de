# fault: none
# family: language
# split: held
# set: badger, unseen
# metric: bits_per_char lower
# baseline: 4.0
# reaches: 2.3
# Character model with truncated BPTT; the state travels from one window to the next.
import math
import os
import random
import torch
from torch import nn

seed = int(os.environ.get("SEED", 0))
random.seed(seed)
torch.manual_seed(seed)

SUBJ = "the old miller|a grey heron|my neighbour|the night train|one small boat|her brother|the baker".split("|")
VERB = "waits near|looks at|passes|remembers|leaves|comes back to|sleeps under".split("|")
OBJ = "the bridge|a green door|the river|an empty house|the long wall|the market".split("|")
TAIL = [".", " in winter.", " every morning.", " and says nothing.", " again."]


def story(n_sent):
    r = []
    for _ in range(n_sent):
        r.append(f"{random.choice(SUBJ)} {random.choice(VERB)} {random.choice(OBJ)}{random.choice(TAIL)}")
    return " ".join(r)


text, held = story(1100), story(150)
chars = sorted(set(text))
stoi = {c: i for i, c in enumerate(chars)}
enc = lambda s: torch.tensor([stoi[c] for c in s])


class CharLSTM(nn.Module):
    def __init__(self, v, d=64):
        super().__init__()
        self.emb = nn.Embedding(v, d)
        nn.init.normal_(self.emb.weight, std=0.1)
        self.rnn = nn.LSTM(d, d, batch_first=True)
        self.head = nn.Linear(d, v)
        self.head.weight = self.emb.weight

    def forward(self, x, state=None):
        h, state = self.rnn(self.emb(x), state)
        return self.head(h), state


B, W, CLIP = 20, 32, 0.25
ids = enc(text)
L = (len(ids) - 1) // B
xs, ys = ids[:B * L].view(B, L), ids[1:B * L + 1].view(B, L)
model = CharLSTM(len(chars))
opt = torch.optim.Adam(model.parameters(), lr=8e-3)
lossf = nn.CrossEntropyLoss()

clipped = steps = 0
for epoch in range(6):
    state, tot, cnt = None, 0.0, 0
    for i in range(0, L - W + 1, W):
        if state is not None:
            state = tuple(s.detach() for s in state)
        logits, state = model(xs[:, i:i + W], state)
        loss = lossf(logits.flatten(0, 1), ys[:, i:i + W].flatten())
        opt.zero_grad()
        loss.backward()
        g = nn.utils.clip_grad_norm_(model.parameters(), CLIP)
        opt.step()
        steps += 1
        clipped += int(g > CLIP)
        tot += loss.item()
        cnt += 1
    print(f"epoch {epoch} bits {tot / cnt / math.log(2):.3f} clipped {clipped}/{steps}")

hid = enc(held)[None]
with torch.no_grad():
    logits, _ = model(hid[:, :-1])
    bits = lossf(logits[0], hid[0, 1:]).item() / math.log(2)
    freq = torch.bincount(ids, minlength=len(chars)).float() + 1
    uni = lossf((freq / freq.sum()).log().expand(hid.shape[1] - 1, -1), hid[0, 1:]).item() / math.log(2)
print("unigram", uni)
print(f"result: bits_per_char {bits:.4f}")
