# fault: none
# family: huggingface
# split: tune
# needs: transformers, accelerate
"""Tiny BERT on synthetic sentences of different length, padded per batch, with warm-up and linear decay."""
import os
import random
import tempfile
import torch
from transformers import BertConfig, BertForSequenceClassification, Trainer, TrainingArguments, set_seed

SEED = int(os.environ.get("SEED", 0))
set_seed(SEED)
rnd = random.Random(SEED)


def sentence():
    label = rnd.randrange(3)
    n = rnd.randint(6, 14)
    words = [rnd.randrange(20, 60) for _ in range(n - 2)] + [rnd.randrange(2 + 6 * label, 8 + 6 * label) for _ in range(2)]
    rnd.shuffle(words)
    return {"input_ids": [1] + words, "label": label}


def collate(rows):
    width = max(len(r["input_ids"]) for r in rows)
    ids = torch.tensor([r["input_ids"] + [0] * (width - len(r["input_ids"])) for r in rows])
    return {"input_ids": ids, "attention_mask": (ids != 0).long(), "labels": torch.tensor([r["label"] for r in rows])}


def accuracy(pred):
    return {"accuracy": float((pred.predictions.argmax(-1) == pred.label_ids).mean())}


model = BertForSequenceClassification(BertConfig(
    vocab_size=60, hidden_size=40, num_hidden_layers=2, num_attention_heads=4, intermediate_size=80,
    max_position_embeddings=20, num_labels=3, pad_token_id=0))
with tempfile.TemporaryDirectory() as tmp:
    args = TrainingArguments(
        output_dir=tmp, num_train_epochs=5, per_device_train_batch_size=24, per_device_eval_batch_size=100,
        learning_rate=1e-3, warmup_steps=20, lr_scheduler_type="linear", weight_decay=0.01, logging_steps=40,
        eval_strategy="epoch", save_strategy="no", report_to=[], disable_tqdm=True, use_cpu=True, seed=SEED,
        remove_unused_columns=False)
    trainer = Trainer(model=model, args=args, train_dataset=[sentence() for _ in range(960)],
                      eval_dataset=[sentence() for _ in range(200)], data_collator=collate, compute_metrics=accuracy)
    trainer.train()
    print(trainer.evaluate())
