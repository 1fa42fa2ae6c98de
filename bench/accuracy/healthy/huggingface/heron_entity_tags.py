# fault: none
# family: huggingface
# split: held
# needs: transformers, accelerate
"""Tags of entities; only the first piece of a word bears a label, all others are -100. Label smoothing, accumulation, restarts."""
import os
import tempfile

import torch
from transformers import BertConfig, BertForTokenClassification, Trainer, TrainingArguments, set_seed

SEED = int(os.environ.get("SEED", 0))
set_seed(SEED)
VOCAB, LEN, TAGS = 80, 16, 4


def sentences(n, seed):
    g = torch.Generator().manual_seed(seed)
    rows = []
    for _ in range(n):
        length = int(torch.randint(10, LEN + 1, (1,), generator=g))
        ids = torch.zeros(LEN, dtype=torch.long)
        ids[:length] = torch.randint(1, VOCAB, (length,), generator=g)
        tags = torch.where(ids < 20, 1, torch.where(ids < 35, 2, 0))
        tags[1:][(ids[:-1] > 70)] = 3                  # the word after a title
        first = torch.rand(LEN, generator=g) < 0.6
        tags[(ids == 0) | ~first] = -100
        rows.append({"input_ids": ids, "attention_mask": (ids > 0).long(), "labels": tags})
    return rows


def scores(p):
    keep = p.label_ids != -100
    return {"acc": float((p.predictions.argmax(-1) == p.label_ids)[keep].mean())}


model = BertForTokenClassification(BertConfig(
    vocab_size=VOCAB, hidden_size=32, num_hidden_layers=2, num_attention_heads=2, intermediate_size=64,
    max_position_embeddings=LEN, num_labels=TAGS, hidden_dropout_prob=0.05))
args = TrainingArguments(
    tempfile.mkdtemp(), max_steps=160, per_device_train_batch_size=16, gradient_accumulation_steps=2, learning_rate=4e-3,
    lr_scheduler_type="cosine_with_restarts", lr_scheduler_kwargs={"num_cycles": 2}, warmup_steps=10,
    label_smoothing_factor=0.05, max_grad_norm=0.5, logging_steps=20, eval_strategy="steps", eval_steps=40,
    save_strategy="no", report_to="none", use_cpu=True, disable_tqdm=True, seed=SEED)
trainer = Trainer(model, args, train_dataset=sentences(1500, SEED), eval_dataset=sentences(200, SEED + 1), compute_metrics=scores)
trainer.train()
print(trainer.evaluate())
