# fault: none
# family: rnn
# split: tune
# Character language model, hidden state carried over and detached (truncated backpropagation).
import os
import random

import torch
from torch import nn

seed = int(os.environ.get("SEED", "0"))
random.seed(seed)
torch.manual_seed(seed)

subjects = ["the cat", "a dog", "my friend", "the old man", "every bird"]
verbs = ["sees", "likes", "follows", "forgets"]
objects = ["the moon", "a stone", "the river", "some bread"]
text = " ".join(f"{random.choice(subjects)} {random.choice(verbs)} {random.choice(objects)}." for _ in range(1600))
chars = sorted(set(text))
stoi = {c: i for i, c in enumerate(chars)}
data = torch.tensor([stoi[c] for c in text])

B, T = 16, 16
n = len(data) // B
stream = data[: n * B].view(B, n)


class CharRNN(nn.Module):
    def __init__(self, v, h):
        super().__init__()
        self.emb = nn.Embedding(v, h)
        self.rnn = nn.GRU(h, h, batch_first=True)
        self.out = nn.Linear(h, v)
        self.out.weight = self.emb.weight  # tied

    def forward(self, x, state):
        y, state = self.rnn(self.emb(x), state)
        return self.out(y), state


model = CharRNN(len(chars), 48)
nn.init.normal_(model.emb.weight, std=0.1)
opt = torch.optim.Adam(model.parameters(), lr=1e-2)
ce = nn.CrossEntropyLoss()
state, curve = None, []
for t in range(0, min(n - T - 1, T * 180), T):
    x, y = stream[:, t:t + T], stream[:, t + 1:t + T + 1]
    logits, state = model(x, state)
    state = state.detach()
    loss = ce(logits.flatten(0, 1), y.flatten())
    opt.zero_grad()
    loss.backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    opt.step()
    curve.append(loss.item())
print(len(curve), "updates,", len(chars), "characters")
print(f"loss first {curve[0]:.4f} last {curve[-1]:.4f}")
