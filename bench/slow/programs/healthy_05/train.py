"""Tells languages apart by the way their invented words are made (transformer encoder over characters)."""
import time

import torch
from torch import nn

torch.manual_seed(2024)
LANGUAGES, CHARS, LENGTH = 8, 26, 48

transition = torch.distributions.Dirichlet(torch.full((CHARS,), 0.15)).sample((LANGUAGES, CHARS))
transition = 0.45 * transition + 0.55 * torch.distributions.Dirichlet(torch.full((CHARS,), 0.3)).sample((CHARS,))


def write(n):
    language = torch.randint(LANGUAGES, (n,))
    text = torch.empty(n, LENGTH, dtype=torch.long)
    text[:, 0] = torch.randint(CHARS, (n,))
    for t in range(1, LENGTH):
        text[:, t] = torch.multinomial(transition[language, text[:, t - 1]], 1).squeeze(1)
    return text, language


class Reader(nn.Module):
    def __init__(self, d=112):
        super().__init__()
        self.token = nn.Embedding(CHARS, d)
        self.place = nn.Parameter(0.02 * torch.randn(LENGTH, d))
        self.encoder = nn.TransformerEncoder(nn.TransformerEncoderLayer(d, 4, 3 * d, dropout=0.1, batch_first=True, norm_first=True), 2, enable_nested_tensor=False)
        self.head = nn.Linear(d, LANGUAGES)

    def forward(self, text):
        return self.head(self.encoder(self.token(text) + self.place).mean(1))


train_text, train_language = write(2048)
valid_text, valid_language = write(128)
reader = Reader()
optimizer = torch.optim.AdamW(reader.parameters(), lr=6e-4, weight_decay=0.01)
criterion = nn.CrossEntropyLoss(label_smoothing=0.05)
clock = time.monotonic()
for epoch in range(4):
    reader.train()
    for idx in torch.randperm(len(train_text)).split(64):
        loss = criterion(reader(train_text[idx]), train_language[idx])
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(reader.parameters(), 1.0)
        optimizer.step()
    reader.eval()
    with torch.no_grad():
        accuracy = (reader(valid_text).argmax(1) == valid_language).float().mean().item()
    print(f"{epoch + 1}: loss {loss.item():.3f} valid accuracy {accuracy:.3f} [{time.monotonic() - clock:.1f} s]")
