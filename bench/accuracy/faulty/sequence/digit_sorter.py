# fault: detached-mid-network
# cause_class: not-updated, structure
# family: sequence
# split: held
import os
import random
import torch
import torch.nn as nn
import torch.nn.functional as F

SEED = int(os.environ.get("SEED", "0"))
random.seed(SEED)
torch.manual_seed(SEED)

# sort the digits of a short string: source '3 1 2' -> target '1 2 3'
SOS, N, LEN, HID = 10, 11, 5, 64


def repackage_hidden(h):
    """Wraps hidden states in new tensors, to free them from their history."""
    if isinstance(h, torch.Tensor):
        return h.detach()
    return tuple(repackage_hidden(v) for v in h)


class EncoderRNN(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(N, 24)
        self.gru = nn.GRU(24, HID, batch_first=True)

    def forward(self, x):
        return self.gru(self.embedding(x))


class DecoderRNN(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(N, 24)
        self.gru = nn.GRU(24, HID, batch_first=True)
        self.out = nn.Linear(HID, N)

    def forward(self, tok, hidden):
        o, hidden = self.gru(self.embedding(tok), hidden)
        return self.out(o), hidden


def get_batch(bs=48):
    src = torch.randint(0, 10, (bs, LEN))
    tgt = src.sort(1).values
    dec_in = torch.cat([torch.full((bs, 1), SOS), tgt[:, :-1]], 1)
    return src, dec_in, tgt


encoder, decoder = EncoderRNN(), DecoderRNN()
enc_opt = torch.optim.Adam(encoder.parameters(), lr=3e-3)
dec_opt = torch.optim.Adam(decoder.parameters(), lr=3e-3)


def train_step():
    src, dec_in, tgt = get_batch()
    enc_opt.zero_grad()
    dec_opt.zero_grad()
    _, hidden = encoder(src)
    hidden = repackage_hidden(hidden)
    logits, _ = decoder(dec_in, hidden)
    loss = F.cross_entropy(logits.flatten(0, 1), tgt.flatten())
    loss.backward()
    nn.utils.clip_grad_norm_(decoder.parameters(), 5.0)
    enc_opt.step()
    dec_opt.step()
    return loss.item()


def greedy(src):
    with torch.no_grad():
        _, h = encoder(src)
        tok, outs = torch.full((len(src), 1), SOS), []
        for _ in range(LEN):
            logits, h = decoder(tok, h)
            tok = logits.argmax(-1)
            outs.append(tok)
    return torch.cat(outs, 1)


acc = 0.0
for it in range(1, 601):
    acc += train_step()
    if it % 100 == 0:
        src, _, tgt = get_batch(200)
        right = (greedy(src) == tgt).all(1).float().mean().item()
        print(f"{it} loss {acc / 100:.4f} whole strings right {right:.3f}")
        acc = 0.0
