# fault: learning-rate-too-low
# cause_class: learning-rate
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

VOCAB, TOPICS, LENGTH = 120, 5, 20


def tickets(n):
    """Support tickets: a fifth of the words belong to the topic, the rest to anybody."""
    rows = []
    for _ in range(n):
        topic = int(rng.integers(TOPICS))
        length = int(rng.integers(12, LENGTH + 1))
        words = rng.integers(60, VOCAB, size=length)
        own = rng.random(length) < 0.3
        words[own] = 5 + topic * 10 + rng.integers(0, 10, size=own.sum())
        ids = np.zeros(LENGTH, dtype=np.int64)
        ids[0] = 1
        ids[1:length] = words[1:]
        rows.append({"input_ids": torch.tensor(ids), "attention_mask": torch.tensor((ids > 0).astype(np.int64)), "labels": topic})
    return rows


def metrics(pred):
    return {"accuracy": float((pred.predictions.argmax(-1) == pred.label_ids).mean())}


config = BertConfig(vocab_size=VOCAB, hidden_size=32, num_hidden_layers=2, num_attention_heads=2,
                    intermediate_size=64, max_position_embeddings=32, num_labels=TOPICS)
model = BertForSequenceClassification(config)

with tempfile.TemporaryDirectory() as folder:
    args = TrainingArguments(
        output_dir=folder, num_train_epochs=4, per_device_train_batch_size=32, per_device_eval_batch_size=128,
        learning_rate=1e-3, warmup_steps=10000, lr_scheduler_type="linear", eval_strategy="epoch",
        save_strategy="no", logging_steps=50, report_to=[], seed=seed, use_cpu=True, disable_tqdm=True)
    trainer = Trainer(model=model, args=args, train_dataset=tickets(1600), eval_dataset=tickets(300), compute_metrics=metrics)
    trainer.train()
    print(trainer.evaluate())
