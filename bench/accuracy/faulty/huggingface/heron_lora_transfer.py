# fault: not-in-optimiser
# cause_class: not-updated, optimizer
# family: huggingface
# split: tune
# needs: transformers, accelerate
"""Low-rank adapters on a small BERT: first the billing desk, then the returns desk."""
import math
import os
import tempfile

import torch
from torch import nn
from torch.utils.data import Dataset
from transformers import BertConfig, BertForSequenceClassification, Trainer, TrainingArguments, set_seed

SEED = int(os.environ.get("SEED", 0))
set_seed(SEED)
LENGTH, VOCAB, TOPICS = 14, 90, 4


class Desk(Dataset):
    """Tickets of random words; the topic is the one whose key words are in the ticket most often."""

    def __init__(self, n, first_word, seed):
        g = torch.Generator().manual_seed(seed)
        self.y = torch.randint(0, TOPICS, (n,), generator=g)
        self.x = torch.randint(2, VOCAB, (n, LENGTH), generator=g)
        for i in range(n):
            where = torch.randperm(LENGTH, generator=g)[:3]
            words = first_word + self.y[i] * 5 + torch.randint(0, 5, (3,), generator=g)
            self.x[i, where] = words

    def __len__(self):
        return len(self.y)

    def __getitem__(self, i):
        return {"input_ids": self.x[i], "attention_mask": torch.ones(LENGTH, dtype=torch.long), "labels": self.y[i]}


class LoRALinear(nn.Module):
    def __init__(self, base, r=8, alpha=16):
        super().__init__()
        self.base = base
        for p in self.base.parameters():
            p.requires_grad = False
        self.A = nn.Parameter(torch.randn(r, base.in_features) / math.sqrt(base.in_features))
        self.B = nn.Parameter(torch.zeros(base.out_features, r))
        self.scale = alpha / r

    def forward(self, x):
        return self.base(x) + (x @ self.A.T @ self.B.T) * self.scale


def inject(model, names=("query", "key", "value")):
    for p in model.bert.parameters():
        p.requires_grad = False
    for module in list(model.modules()):
        for name, child in list(module.named_children()):
            if name in names and isinstance(child, nn.Linear):
                setattr(module, name, LoRALinear(child))
    return model


def make_args(steps, lr):
    return TrainingArguments(tempfile.mkdtemp(), max_steps=steps, learning_rate=lr, per_device_train_batch_size=24,
                             per_device_eval_batch_size=100, logging_steps=10, save_strategy="no", report_to="none",
                             use_cpu=True, disable_tqdm=True, seed=SEED, weight_decay=0.0)


def accuracy(p):
    return {"acc": float((p.predictions.argmax(-1) == p.label_ids).mean())}


config = BertConfig(vocab_size=VOCAB, hidden_size=48, num_hidden_layers=2, num_attention_heads=4, intermediate_size=96,
                    max_position_embeddings=LENGTH, num_labels=TOPICS, hidden_dropout_prob=0.05)
model = BertForSequenceClassification(config)
base = Trainer(model, make_args(100, 2e-3), train_dataset=Desk(2000, 10, SEED), eval_dataset=Desk(400, 10, SEED + 1),
               compute_metrics=accuracy)
base.train()
print("billing", base.evaluate())

optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3, weight_decay=0.0)
scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda s: min(1.0, (s + 1) / 10))
model = inject(model)
print("trainable", sum(p.numel() for p in model.parameters() if p.requires_grad))
desk = Trainer(model, make_args(150, 3e-3), train_dataset=Desk(2000, 50, SEED + 2), eval_dataset=Desk(400, 50, SEED + 3),
               compute_metrics=accuracy, optimizers=(optimizer, scheduler))
desk.train()
print("returns", desk.evaluate())
