# fault: dropout-too-strong
# cause_class: regularisation
# family: huggingface
# split: held
# needs: transformers, accelerate
import os
import tempfile

import numpy as np
import torch
from transformers import BertConfig, BertForSequenceClassification, Trainer, TrainingArguments, set_seed

seed = int(os.environ.get("SEED", "0"))
set_seed(seed)
rng = np.random.default_rng(seed)

TOPICS = 4
VOCAB = 100
KEEP_PROB = 0.9


def tickets(n, length=16):
    """Five or so of the words of a ticket come from its topic, the others from anywhere."""
    rows = []
    for _ in range(n):
        topic = int(rng.integers(TOPICS))
        ids = rng.integers(45, VOCAB, length)
        where = rng.choice(np.arange(1, length), 5, replace=False)
        ids[where] = 5 + 10 * topic + rng.integers(0, 10, 5)
        ids[0] = 2
        rows.append({"input_ids": ids.tolist(), "attention_mask": [1] * length, "labels": topic})
    return rows


config = BertConfig(
    vocab_size=VOCAB, hidden_size=48, num_hidden_layers=2, num_attention_heads=4, intermediate_size=96,
    max_position_embeddings=32, num_labels=TOPICS,
    hidden_dropout_prob=KEEP_PROB, attention_probs_dropout_prob=0.1,
)
model = BertForSequenceClassification(config)

trainer = Trainer(
    model=model,
    args=TrainingArguments(
        output_dir=tempfile.mkdtemp(), max_steps=200, per_device_train_batch_size=16, per_device_eval_batch_size=100,
        learning_rate=1e-3, warmup_steps=20, logging_steps=20, eval_strategy="steps", eval_steps=100, save_strategy="no",
        report_to="none", disable_tqdm=True, use_cpu=True, seed=seed,
    ),
    train_dataset=tickets(1200),
    eval_dataset=tickets(200),
    compute_metrics=lambda p: {"acc": float((p.predictions.argmax(-1) == p.label_ids).mean())},
)
trainer.train()
print(trainer.evaluate())
