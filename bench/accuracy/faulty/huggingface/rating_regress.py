# fault: labels-constant
# cause_class: labels, structure, data-loading
# family: huggingface
# split: tune
# needs: transformers, accelerate
import os
import tempfile

import numpy as np
import torch
from transformers import DistilBertConfig, DistilBertForSequenceClassification, Trainer, TrainingArguments, set_seed

SEED = int(os.environ.get("SEED", 0))
set_seed(SEED)


def load_reviews(n, seed):
    """Tokens and a score in the form in which the export gives it."""
    rng = np.random.default_rng(seed)
    quality = np.random.default_rng(3).normal(0, 1, 90)
    rows = []
    for _ in range(n):
        ids = rng.integers(10, 90, 14)
        score = 1 / (1 + np.exp(-quality[ids].sum() / 2))
        rows.append({"ids": [1] + ids.tolist(), "score": round(float(score), 2)})
    return rows


def preprocess(row):
    # five stars of ten and more are good
    return {"input_ids": torch.tensor(row["ids"]), "attention_mask": torch.ones(len(row["ids"]), dtype=torch.long),
            "labels": int(row["score"] >= 5)}


def compute_metrics(p):
    return {"accuracy": float((p.predictions.argmax(-1) == p.label_ids).mean())}


def main():
    train = [preprocess(r) for r in load_reviews(1000, SEED)]
    valid = [preprocess(r) for r in load_reviews(200, SEED + 1)]
    model = DistilBertForSequenceClassification(DistilBertConfig(
        vocab_size=90, dim=32, n_layers=2, n_heads=2, hidden_dim=64, max_position_embeddings=32, num_labels=2))
    with tempfile.TemporaryDirectory() as out:
        args = TrainingArguments(out, num_train_epochs=3, per_device_train_batch_size=25, learning_rate=1e-3, warmup_steps=10,
                                 logging_steps=20, save_strategy="no", eval_strategy="epoch", report_to=[], use_cpu=True,
                                 disable_tqdm=True, seed=SEED)
        Trainer(model=model, args=args, train_dataset=train, eval_dataset=valid, compute_metrics=compute_metrics).train()


main()
