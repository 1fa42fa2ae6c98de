# fault: overfit
# cause_class: overfit
# family: huggingface
# split: held
# needs: transformers, accelerate, sklearn

# Screening of abstracts: is the study in scope or not? Reviewers disagree on about one abstract in eight.
import os
import tempfile

import numpy as np
import torch
from sklearn.model_selection import train_test_split
from transformers import (BertConfig, BertForSequenceClassification, Trainer,
                          TrainingArguments, default_data_collator)

seed = int(os.environ.get("SEED", "0"))
rng = np.random.default_rng(seed)
torch.manual_seed(seed)

N, L, V = 600, 20, 150
y = rng.integers(0, 2, N)
X = rng.integers(1, V, (N, L))
for i in range(N):
    for p in rng.choice(L, 3, replace=False):
        X[i, p] = 1 + 30 * y[i] + rng.integers(0, 30)
flip = rng.random(N) < 0.12
y = np.where(flip, 1 - y, y)

held_out, training = train_test_split(np.arange(N), train_size=0.9, random_state=seed, stratify=y)


def as_records(ids):
    return [dict(input_ids=X[i].tolist(), attention_mask=[1] * L, labels=int(y[i])) for i in ids]


cfg = BertConfig(vocab_size=V, hidden_size=40, num_hidden_layers=2, num_attention_heads=4, intermediate_size=80,
                 max_position_embeddings=L, num_labels=2, hidden_dropout_prob=0.1)
bert = BertForSequenceClassification(cfg)

args = TrainingArguments(tempfile.mkdtemp(), per_device_train_batch_size=8, per_device_eval_batch_size=240,
                         num_train_epochs=22, learning_rate=1e-3, lr_scheduler_type="constant", weight_decay=0.01,
                         eval_strategy="epoch", logging_strategy="epoch", save_strategy="no", seed=seed,
                         report_to="none", use_cpu=True, disable_tqdm=True)


def metrics(out):
    guess = out.predictions.argmax(1)
    hit = guess == out.label_ids
    return {"accuracy": hit.mean(), "recall": hit[out.label_ids == 1].mean()}


trainer = Trainer(bert, args, train_dataset=as_records(training), eval_dataset=as_records(held_out),
                  data_collator=default_data_collator, compute_metrics=metrics)
trainer.train()
print({k: round(float(v), 3) for k, v in trainer.evaluate().items()})
