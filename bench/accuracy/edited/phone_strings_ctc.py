# fault: none
# family: audio
# split: held
# set: okapi, unseen
"""Phone-string recognition with CTC. Features are log-mel like frames (24 bands), utterances of uneven length."""
import os, random
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.utils.rnn import pad_sequence, pack_padded_sequence, pad_packed_sequence

PHONES = ["sil", "a", "e", "i", "o", "u", "m", "s"]   # "sil" doubles as the CTC blank (index 0)
N_MELS = 24
HIDDEN = 40


class ToySpeaker:
    def __init__(self, seed):
        self.rs = np.random.RandomState(seed)
        self.proto = self.rs.randn(len(PHONES), N_MELS) * 1.1

    def utterance(self):
        n = self.rs.randint(3, 8)
        seq, frames = [], []
        prev = 0
        for _ in range(n):
            p = self.rs.choice([k for k in range(1, len(PHONES)) if k != prev])
            prev = p
            seq.append(p)
            frames += [self.proto[p] + 1.0 * self.rs.randn(N_MELS) for _ in range(self.rs.randint(3, 6))]
            if self.rs.rand() < 0.3:
                frames += [self.proto[0] + 1.0 * self.rs.randn(N_MELS)] * 2
        gain = self.rs.randn() * 2 - 9          # recording level in log domain
        return np.array(frames, dtype=np.float32) * 2.5 + gain, seq


def normalise(feat):
    return (feat - feat.mean()) / (feat.std() + 1e-5)


def collate(items):
    feats = [torch.from_numpy(normalise(f)).float() for f, _ in items]
    feat_len = torch.tensor([len(f) for f in feats])
    targets = [torch.tensor(s) for _, s in items]
    target_len = torch.tensor([len(t) for t in targets])
    return pad_sequence(feats, batch_first=True), feat_len, pad_sequence(targets, batch_first=True), target_len


class Recogniser(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv1d(N_MELS, HIDDEN, 3, padding=1)
        self.rnn = nn.GRU(HIDDEN, HIDDEN, batch_first=True, bidirectional=True)
        self.fc = nn.Linear(2 * HIDDEN, len(PHONES))

    def forward(self, x, lengths):
        x = F.relu(self.conv(x.transpose(1, 2))).transpose(1, 2)
        packed = pack_padded_sequence(x, lengths, batch_first=True, enforce_sorted=False)
        out, _ = self.rnn(packed)
        out, _ = pad_packed_sequence(out, batch_first=True)
        logits = self.fc(out)                               # (N, T, C)
        return logits.log_softmax(dim=-1)


def greedy(logp, lengths):
    res = []
    for row, n in zip(logp.argmax(-1), lengths):
        row = torch.unique_consecutive(row[:n]).tolist()
        res.append([k for k in row if k != 0])
    return res


def edit_distance(a, b):
    d = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        last, d[0] = d[0], i
        for j, y in enumerate(b, 1):
            last, d[j] = d[j], min(d[j] + 1, d[j - 1] + 1, last + (x != y))
    return d[-1]


def phone_error_rate(model, data):
    model.eval()
    err = tot = 0
    with torch.no_grad():
        for i in range(0, len(data), 50):
            x, xl, _, _ = collate(data[i:i + 50])
            for hyp, (_, ref) in zip(greedy(model(x, xl), xl), data[i:i + 50]):
                err += edit_distance(hyp, ref)
                tot += len(ref)
    return err / tot


def run(seed):
    random.seed(seed); np.random.seed(seed); torch.manual_seed(seed)
    sp = ToySpeaker(seed)
    train = [sp.utterance() for _ in range(240)]
    dev = [sp.utterance() for _ in range(100)]
    model = Recogniser()
    ctc = nn.CTCLoss(blank=0, zero_infinity=True)
    optim = torch.optim.Adam(model.parameters(), lr=4e-3)
    for epoch in range(9):
        model.train()
        random.shuffle(train)
        losses = []
        for i in range(0, len(train), 16):
            x, xl, y, yl = collate(train[i:i + 16])
            logp = model(x, xl)
            loss = ctc(logp.permute(1, 0, 2), y, xl, yl)
            optim.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 5.0)
            optim.step()
            losses.append(loss.item())
        print("epoch", epoch, "ctc %.3f" % np.mean(losses), "dev PER %.3f" % phone_error_rate(model, dev))
    return phone_error_rate(model, dev)


if __name__ == "__main__":
    per = run(int(os.environ.get("SEED", "0")))
    print(f"METRIC phone_error_rate {per:.4f}")
