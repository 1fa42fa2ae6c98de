# fault: none
# family: audio
# split: held
# set: puma, unseen
"""
Reading sequences of touch-tones out of a noisy spectrogram (BiGRU + CTC).

Every recording holds 2-4 of 8 tones, each with its own length and a pause after it; nobody marked
where they are.  12 frequency bands, one frame per 20 ms.  Score: 1 - token error rate on new recordings.
"""
import os
import random
from typing import List, Tuple

import numpy as np
import torch
from torch import nn, Tensor
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence, pad_sequence
from torch.utils.data import DataLoader, Dataset

N_BANDS = 12
N_TONES = 8
BLANK = 0


def set_seed(seed: int) -> None:
    random.seed(seed)
    np.random.seed(seed)
    torch.manual_seed(seed)


class ToneDataset(Dataset):
    def __init__(self, n: int, seed: int):
        rng = np.random.default_rng(seed)
        pairs = np.random.default_rng(7).permutation([(i, j) for i in range(6) for j in range(6, 12)])[:N_TONES]
        self.items = []
        for _ in range(n):
            tokens = rng.integers(1, N_TONES + 1, rng.integers(2, 5))
            frames = [np.zeros((rng.integers(1, 4), N_BANDS))]
            for t in tokens:
                tone = np.zeros((rng.integers(2, 5), N_BANDS))
                tone[:, pairs[t - 1]] = rng.uniform(0.7, 1.3)
                frames += [tone, np.zeros((rng.integers(1, 3), N_BANDS))]
            spec = np.concatenate(frames)
            spec = 60 + 20 * (spec + rng.normal(0, 0.25, spec.shape))        # dB
            spec = (spec - 64.0) / 10.0
            self.items.append((torch.tensor(spec, dtype=torch.float32), torch.tensor(tokens)))

    def __len__(self) -> int:
        return len(self.items)

    def __getitem__(self, i: int) -> Tuple[Tensor, Tensor]:
        return self.items[i]


def collate(batch: List[Tuple[Tensor, Tensor]]):
    specs, tokens = zip(*batch)
    spec_lens = torch.tensor([len(s) for s in specs])
    token_lens = torch.tensor([len(t) for t in tokens])
    specs = pad_sequence(specs, batch_first=True)
    return specs, spec_lens, torch.cat(tokens), token_lens


class ToneReader(nn.Module):
    def __init__(self, hidden: int = 24, dropout: float = 0.1):
        super().__init__()
        self.front = nn.Sequential(nn.Linear(N_BANDS, hidden), nn.ReLU(), nn.Dropout(dropout))
        self.rnn = nn.GRU(hidden, hidden, batch_first=True, bidirectional=True)
        self.head = nn.Linear(2 * hidden, N_TONES + 1)

    def forward(self, specs: Tensor, lens: Tensor) -> Tensor:
        h = self.front(specs)
        packed = pack_padded_sequence(h, lens, batch_first=True, enforce_sorted=False)
        out, _ = self.rnn(packed)
        out, _ = pad_packed_sequence(out, batch_first=True)
        return self.head(out).log_softmax(dim=-1)            # (batch, time, class)


def edit_distance(a: List[int], b: List[int]) -> int:
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        prev, row[0] = row[0], i
        for j, y in enumerate(b, 1):
            prev, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, prev + (x != y))
    return row[-1]


@torch.no_grad()
def score(model: ToneReader, loader: DataLoader) -> float:
    model.eval()
    errors = total = 0
    for specs, spec_lens, tokens, token_lens in loader:
        best = model(specs, spec_lens).argmax(-1)
        for path, n, ref in zip(best, spec_lens, tokens.split(token_lens.tolist())):
            path = torch.unique_consecutive(path[:n])
            hyp = [t for t in path.tolist() if t != BLANK]
            errors += edit_distance(hyp, ref.tolist())
            total += len(ref)
    model.train()
    return max(0.0, 1.0 - errors / total)


def train(model, loader, valid, epochs=5, lr=1.2e-2):
    ctc = nn.CTCLoss(blank=BLANK, zero_infinity=False)
    opt = torch.optim.Adam(model.parameters(), lr=lr)
    sched = torch.optim.lr_scheduler.LinearLR(opt, 1.0, 0.1, total_iters=epochs * len(loader))
    for epoch in range(1, epochs + 1):
        total = 0.0
        for specs, spec_lens, tokens, token_lens in loader:
            log_probs = model(specs, spec_lens)
            loss = ctc(log_probs.transpose(0, 1), tokens, spec_lens, token_lens)
            opt.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 5.0)
            opt.step()
            sched.step()
            total += loss.item()
        print(f"[{epoch}] ctc loss {total / len(loader):.3f}  score {score(model, valid):.3f}")


if __name__ == "__main__":
    seed = int(os.environ.get("SEED", 0))
    set_seed(seed)
    train_set, valid_set = ToneDataset(600, seed), ToneDataset(120, seed + 10_000)
    train_loader = DataLoader(train_set, batch_size=25, shuffle=True, collate_fn=collate)
    valid_loader = DataLoader(valid_set, batch_size=120, collate_fn=collate)
    model = ToneReader()
    train(model, train_loader, valid_loader)
    print(f"METRIC token_score {score(model, valid_loader):.4f}")
