# fault: nll-on-probabilities
# cause_class: output-activation, loss
# family: rnn
# split: tune
import os
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(int(os.environ.get("SEED", "0")))

# which symbol occurred last before the current position: a tagger over 5 symbols
SYMBOLS, T = 5, 15
def batch(n):
    x = torch.randint(0, SYMBOLS, (n, T))
    y = torch.cat([torch.zeros(n, 1, dtype=torch.long), x[:, :-1]], 1)
    return x, y

class Tagger(nn.Module):
    def __init__(self, hidden=32):
        super().__init__()
        self.emb = nn.Embedding(SYMBOLS, 16)
        self.lstm = nn.LSTM(16, hidden, batch_first=True)
        self.fc = nn.Linear(hidden, SYMBOLS)
    def forward(self, x):
        h, _ = self.lstm(self.emb(x))
        scores = self.fc(h)
        return F.softmax(scores, dim=-1)

tagger = Tagger()
loss_function = nn.NLLLoss()
optimizer = torch.optim.Adam(tagger.parameters(), lr=2e-3)
x_test, y_test = batch(200)
for step in range(1, 401):
    x, y = batch(32)
    tagger.zero_grad()
    out = tagger(x)
    loss = loss_function(out.view(-1, SYMBOLS), y.view(-1))
    loss.backward()
    optimizer.step()
    if step % 50 == 0:
        tagger.eval()
        with torch.no_grad():
            acc = (tagger(x_test).argmax(-1) == y_test).float().mean().item()
        tagger.train()
        print(f"step {step}: loss {loss.item():.4f}, test accuracy {acc:.3f}")
