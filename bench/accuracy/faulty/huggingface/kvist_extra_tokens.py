# fault: model-replaced
# cause_class: not-updated, optimizer
# family: huggingface
# split: held
# needs: transformers
import os

import torch
from torch import nn
from torch.utils.data import DataLoader
from transformers import BertConfig, BertForSequenceClassification, set_seed

set_seed(int(os.environ.get("SEED", 0)))


def corpus(n):
    """Language id from a word list; the last forty ids are symbols that were added for this corpus."""
    y = torch.randint(0, 8, (n,))
    ids = torch.randint(100, 140, (n, 12))
    ids[:, 0] = 1
    for j in (2, 5, 7, 9):
        ids[:, j] = 100 + y * 5 + torch.randint(0, 5, (n,))
    return ids, y


def new_head(model, n_labels):
    model.classifier = nn.Sequential(
        nn.Linear(model.config.hidden_size, model.config.hidden_size), nn.Tanh(),
        nn.Linear(model.config.hidden_size, n_labels))
    model.num_labels = model.config.num_labels = n_labels
    return model


def main():
    cfg = BertConfig(vocab_size=140, hidden_size=32, num_hidden_layers=1, num_attention_heads=2,
                     intermediate_size=64, max_position_embeddings=12, num_labels=2, hidden_dropout_prob=0.0)
    model = BertForSequenceClassification(cfg)
    no_decay = ("bias", "LayerNorm.weight")
    named = list(model.named_parameters())
    opt = torch.optim.AdamW([
        {"params": [p for n, p in named if not n.endswith(no_decay)], "weight_decay": 0.01},
        {"params": [p for n, p in named if n.endswith(no_decay)], "weight_decay": 0.0}], lr=1e-3)
    new_head(model, 8)
    x, y = corpus(1600)
    vx, vy = corpus(300)
    loader = DataLoader(list(zip(x, y)), batch_size=32, shuffle=True)
    for epoch in range(5):
        model.train()
        tot = 0.0
        for ids, lab in loader:
            out = model(input_ids=ids, labels=lab)
            model.zero_grad()
            out.loss.backward()
            opt.step()
            tot += out.loss.item()
        model.eval()
        with torch.no_grad():
            acc = (model(input_ids=vx).logits.argmax(-1) == vy).float().mean().item()
        print(f"epoch {epoch} loss {tot / len(loader):.4f} acc {acc:.3f}")


main()
