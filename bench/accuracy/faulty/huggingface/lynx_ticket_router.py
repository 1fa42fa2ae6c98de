# fault: learning-rate-too-low
# cause_class: learning-rate, epochs
# family: huggingface
# split: held
# needs: transformers, accelerate, numpy
import os
import tempfile
import numpy as np
import torch
from transformers import BertConfig, BertForSequenceClassification, Trainer, TrainingArguments, set_seed

SEED = int(os.environ.get("SEED", 0))
set_seed(SEED)
rng = np.random.default_rng(SEED)

QUEUES = ["billing", "login", "shipping", "other"]
VOCAB, LEN = 160, 14

# settings of the large run; see wiki page "ticket router"
hp = dict(
    learning_rate=1e-3,
    weight_decay=0.01,
    warmup_steps=10_000,
    lr_scheduler_type="linear",
    max_grad_norm=1.0,
    adam_beta2=0.98,
)


def tickets(n):
    rows = []
    for _ in range(n):
        q = int(rng.integers(4))
        ids = rng.integers(84, VOCAB, LEN)
        spots = rng.choice(LEN, 5, replace=False)
        ids[spots] = 4 + 20 * q + rng.integers(0, 20, 5)
        rows.append({"input_ids": torch.tensor(np.r_[1, ids, 2]), "attention_mask": torch.ones(LEN + 2, dtype=torch.long), "labels": q})
    return rows


def metrics(p):
    return {"accuracy": float((p.predictions.argmax(-1) == p.label_ids).mean())}


config = BertConfig(vocab_size=VOCAB, hidden_size=32, num_hidden_layers=2, num_attention_heads=2, intermediate_size=64,
                    max_position_embeddings=32, num_labels=len(QUEUES), id2label=dict(enumerate(QUEUES)))
model = BertForSequenceClassification(config)
with tempfile.TemporaryDirectory() as tmp:
    args = TrainingArguments(output_dir=tmp, num_train_epochs=4, per_device_train_batch_size=16, per_device_eval_batch_size=64,
                             eval_strategy="epoch", logging_steps=25, save_strategy="no", report_to="none", use_cpu=True,
                             disable_tqdm=True, seed=SEED, **hp)
    trainer = Trainer(model=model, args=args, train_dataset=tickets(960), eval_dataset=tickets(128), compute_metrics=metrics)
    trainer.train()
