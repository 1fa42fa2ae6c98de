# fault: overfit
# cause_class: overfit, epochs, regularisation
# family: huggingface
# split: held
# needs: transformers, accelerate
import os
import tempfile
from functools import partial

import torch
from transformers import (BertConfig, BertForSequenceClassification, Trainer, TrainingArguments,
                          set_seed)

SEED = int(os.environ.get("SEED", "0"))
set_seed(SEED)
LABELS = ["liability", "payment", "term"]


def clauses(n, seed):
    g = torch.Generator().manual_seed(seed)
    label = torch.randint(0, len(LABELS), (n,), generator=g)
    ids = torch.randint(40, 400, (n, 24), generator=g)
    hint = 2 + label[:, None] * 12 + torch.randint(0, 12, (n, 24), generator=g)
    # annotators agree in four of five cases
    label = torch.where(torch.rand(n, generator=g) < 0.2, torch.randint(0, len(LABELS), (n,), generator=g), label)
    ids = torch.where(torch.rand(n, 24, generator=g) < 0.12, hint, ids)
    ids[:, 0] = 1
    return [{"input_ids": i, "attention_mask": torch.ones_like(i), "labels": l} for i, l in zip(ids, label)]


def accuracy(p):
    return {"accuracy": float((p.predictions.argmax(-1) == p.label_ids).mean())}


build = partial(BertForSequenceClassification, BertConfig(
    vocab_size=400, hidden_size=64, num_hidden_layers=2, num_attention_heads=4, intermediate_size=128,
    max_position_embeddings=32, num_labels=len(LABELS), hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0))

args = TrainingArguments(
    output_dir=tempfile.mkdtemp(), num_train_epochs=40, per_device_train_batch_size=16, learning_rate=1e-3,
    lr_scheduler_type="constant", eval_strategy="steps", eval_steps=40, logging_steps=40, save_strategy="no",
    weight_decay=0.0, report_to=[], use_cpu=True, disable_tqdm=True, seed=SEED)

trainer = Trainer(model=build(), args=args, train_dataset=clauses(96, SEED + 1), eval_dataset=clauses(300, SEED + 2),
                  compute_metrics=accuracy)
trainer.train()
