# fault: mostly-padding
# cause_class: data-loading, structure
# family: huggingface
# split: held
# needs: transformers, accelerate
import os
import random
import tempfile

import torch
import torch.nn as nn
from torch.utils.data import Dataset
from transformers import Trainer, TrainingArguments, set_seed
from transformers.modeling_outputs import SequenceClassifierOutput

SEED = int(os.environ.get("SEED", 0))
set_seed(SEED)
MAX_LEN, VOCAB, PAD, LABELS = 96, 60, 0, 4


def encode(tokens, max_length=MAX_LEN):
    """as tokenizer(..., padding='max_length', truncation=True)"""
    tokens = tokens[:max_length]
    return tokens + [PAD] * (max_length - len(tokens))


class Queries(Dataset):
    """short queries of three to eight words; order of the two key words decides"""

    def __init__(self, n):
        self.items = []
        for _ in range(n):
            y = random.randrange(LABELS)
            words = [random.randint(10, VOCAB - 1) for _ in range(random.randint(1, 6))]
            for w in ([1, 2], [2, 1], [3, 4], [4, 3])[y]:
                words.append(w)
            random_tail = [random.randint(10, VOCAB - 1) for _ in range(random.randint(0, 2))]
            self.items.append((encode(words + random_tail), y))

    def __len__(self):
        return len(self.items)

    def __getitem__(self, i):
        ids, y = self.items[i]
        return {"input_ids": torch.tensor(ids), "labels": torch.tensor(y)}


class GRUClassifier(nn.Module):
    def __init__(self, dim=24, hidden=32):
        super().__init__()
        self.embed = nn.Embedding(VOCAB, dim, padding_idx=PAD)
        self.gru = nn.GRU(dim, hidden, batch_first=True)
        self.classifier = nn.Linear(hidden, LABELS)

    def forward(self, input_ids, labels=None):
        out, _ = self.gru(self.embed(input_ids))
        logits = self.classifier(out[:, -1])
        loss = None if labels is None else nn.functional.cross_entropy(logits, labels)
        return SequenceClassifierOutput(loss=loss, logits=logits)


def accuracy(p):
    return {"accuracy": float((p.predictions.argmax(-1) == p.label_ids).mean())}


with tempfile.TemporaryDirectory() as tmp:
    args = TrainingArguments(
        output_dir=tmp, per_device_train_batch_size=16, per_device_eval_batch_size=100, max_steps=240,
        learning_rate=2e-3, logging_steps=20, eval_strategy="steps", eval_steps=80, save_strategy="no",
        report_to=[], seed=SEED, use_cpu=True, disable_tqdm=True)
    trainer = Trainer(model=GRUClassifier(), args=args, train_dataset=Queries(1500), eval_dataset=Queries(200),
                      compute_metrics=accuracy)
    trainer.train()
    print(trainer.evaluate())
