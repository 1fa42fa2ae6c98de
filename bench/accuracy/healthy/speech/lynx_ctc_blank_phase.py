# fault: none
# family: speech
# split: held
"""
Toy CTC recogniser. GitHub issue: "model predicts only blanks for the first epoch, loss stands at 2.x, is my target
format wrong?" (It was not; the blanks go away by themselves.)
"""
import os
import torch
import torch.nn as nn
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import Dataset, DataLoader

torch.manual_seed(int(os.environ.get("SEED", 0)))
N_SYMBOLS, FEAT = 6, 12            # symbol 0 is the blank
VOICES = torch.randn(N_SYMBOLS + 1, FEAT)


class Utterances(Dataset):
    def __init__(self, n):
        self.items = []
        for _ in range(n):
            target = torch.randint(1, N_SYMBOLS + 1, (int(torch.randint(3, 6, (1,))),))
            frames = []
            for s in target.tolist():
                frames += [VOICES[0]] * int(torch.randint(1, 3, (1,)))
                frames += [VOICES[s]] * int(torch.randint(2, 5, (1,)))
            x = torch.stack(frames)
            self.items.append((x + 0.6 * torch.randn_like(x), target))

    def __len__(self):
        return len(self.items)

    def __getitem__(self, i):
        return self.items[i]


def collate(batch):
    xs, ys = zip(*batch)
    return (pad_sequence(xs, batch_first=True), torch.tensor([len(x) for x in xs]),
            torch.cat(ys), torch.tensor([len(y) for y in ys]))


class Recogniser(nn.Module):
    def __init__(self, h=48):
        super().__init__()
        self.conv = nn.Sequential(nn.Conv1d(FEAT, h, 3, padding=1), nn.ReLU())
        self.rnn = nn.GRU(h, h, batch_first=True)
        self.out = nn.Linear(h, N_SYMBOLS + 1)

    def forward(self, x):
        h = self.conv(x.transpose(1, 2)).transpose(1, 2)
        return self.out(self.rnn(h)[0]).log_softmax(-1)


def greedy(logp, length):
    path = logp[:length].argmax(-1)
    path = torch.unique_consecutive(path)
    return path[path != 0].tolist()


def check(model, loader):
    model.eval()
    ok = n = empty = 0
    with torch.no_grad():
        for x, xl, y, yl in loader:
            for lp, l, t in zip(model(x), xl, y.split(yl.tolist())):
                g = greedy(lp, l)
                ok += g == t.tolist(); empty += not g; n += 1
    model.train()
    return ok / n, empty / n


train = DataLoader(Utterances(1000), batch_size=16, shuffle=True, collate_fn=collate)
test = DataLoader(Utterances(100), batch_size=50, collate_fn=collate)
model = Recogniser()
ctc = nn.CTCLoss(blank=0, zero_infinity=True)
opt = torch.optim.Adam(model.parameters(), lr=2e-3)
for epoch in range(5):
    total = 0.0
    for x, xl, y, yl in train:
        loss = ctc(model(x).transpose(0, 1), y, xl, yl)
        opt.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 5.0)
        opt.step()
        total += loss.item()
    ok, empty = check(model, test)
    print(f"epoch {epoch}: ctc {total / len(train):.3f}, sequences right {ok:.2f}, only blanks {empty:.2f}")
