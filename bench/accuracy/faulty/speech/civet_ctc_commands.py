# fault: loss-misused
# cause_class: labels, loss
# family: speech
# split: tune
"""Voice command sequences (left, right, up, down, stop) with CTC. Synthetic filterbank frames."""
import os
import random
import torch
from torch import nn, Tensor

SEED = int(os.environ.get("SEED", 0))
random.seed(SEED)
torch.manual_seed(SEED)

N_MEL, BLANK, N_WORDS = 20, 0, 5
N_SYM = N_WORDS + 1
TEMPLATES = 1.5 * torch.randn(N_WORDS, 3, N_MEL)


def utterance() -> tuple[Tensor, Tensor]:
    words = [random.randrange(N_WORDS) for _ in range(random.randint(2, 4))]
    frames = []
    for d in words:
        frames += [torch.zeros(random.randint(1, 2), N_MEL)]
        for part in TEMPLATES[d]:
            frames += [part.expand(random.randint(1, 2), -1)]
    x = torch.cat(frames)
    y = torch.tensor(words)
    return x + 0.5 * torch.randn_like(x), y


def collate(items):
    xs, ys = zip(*items)
    xl = torch.tensor([len(x) for x in xs])
    yl = torch.tensor([len(y) for y in ys])
    return nn.utils.rnn.pad_sequence(xs, batch_first=True), xl, torch.cat(ys), yl


class Acoustic(nn.Module):
    def __init__(self, width: int = 24) -> None:
        super().__init__()
        self.front = nn.Conv1d(N_MEL, width, 3, padding=1)
        self.gru = nn.GRU(width, width, batch_first=True, bidirectional=True)
        self.out = nn.Linear(2 * width, N_SYM)

    def forward(self, x: Tensor, lens: Tensor) -> Tensor:
        h = torch.relu(self.front(x.transpose(1, 2))).transpose(1, 2)
        packed = nn.utils.rnn.pack_padded_sequence(h, lens, batch_first=True, enforce_sorted=False)
        h, _ = nn.utils.rnn.pad_packed_sequence(self.gru(packed)[0], batch_first=True)
        return self.out(h)


def edit(a, b):
    row = list(range(len(b) + 1))
    for i, ca in enumerate(a, 1):
        prev, row[0] = row[0], i
        for j, cb in enumerate(b, 1):
            prev, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, prev + (ca != cb))
    return row[-1]


@torch.no_grad()
def word_error_rate(net, data):
    net.eval()
    wrong = total = 0
    for x, y in data:
        path = net(x[None], torch.tensor([len(x)]))[0].argmax(-1).tolist()
        hyp = [s for i, s in enumerate(path) if s != BLANK and (i == 0 or s != path[i - 1])]
        wrong += edit(hyp, y.tolist())
        total += len(y)
    net.train()
    return wrong / total


def main():
    train, test = [utterance() for _ in range(480)], [utterance() for _ in range(40)]
    net = Acoustic()
    ctc = nn.CTCLoss(blank=BLANK, zero_infinity=True)
    opt = torch.optim.AdamW(net.parameters(), lr=4e-3)
    for epoch in range(4):
        random.shuffle(train)
        run = 0.0
        for i in range(0, len(train), 16):
            x, xl, y, yl = collate(train[i:i + 16])
            scores = net(x, xl).transpose(0, 1)          # T, B, C
            logp = scores.log_softmax(2)
            loss = ctc(logp, y, xl, yl)
            opt.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(net.parameters(), 3.0)
            opt.step()
            run += loss.item()
        print(f"epoch {epoch}: ctc {run / (len(train) // 16):.3f}  WER {word_error_rate(net, test):.3f}")


if __name__ == "__main__":
    main()
