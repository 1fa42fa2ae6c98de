# fault: class-labels-into-mse
# cause_class: loss, output-activation, labels
# family: huggingface
# split: held
# needs: transformers, accelerate
import os, tempfile
import numpy as np
import torch
from transformers import BertConfig, BertForSequenceClassification, Trainer, TrainingArguments, set_seed

SEED = int(os.environ.get("SEED", 0))
set_seed(SEED)
INTENTS = ["refund", "greeting", "delivery", "complaint", "upgrade", "cancel"]
rng = np.random.default_rng(SEED)
KEYWORDS = rng.permutation(np.arange(4, 40)).reshape(len(INTENTS), 6)


def sentence(label):
    toks = rng.integers(40, 70, 10)
    where = rng.choice(10, 3, replace=False)
    toks[where] = rng.choice(KEYWORDS[label], 3)
    return [1] + toks.tolist() + [2]


def corpus(n):
    labels = rng.integers(0, len(INTENTS), n)
    return [{"input_ids": sentence(l), "label": int(l)} for l in labels]


def collate(rows):
    ids = torch.tensor([r["input_ids"] for r in rows])
    return {"input_ids": ids, "attention_mask": torch.ones_like(ids),
            "labels": torch.tensor([r["label"] for r in rows], dtype=torch.float)}


def metrics(p):
    guess = np.rint(p.predictions.squeeze())
    return {"accuracy": float((guess == p.label_ids).mean())}


config = BertConfig(vocab_size=70, hidden_size=32, intermediate_size=64, num_hidden_layers=1, num_attention_heads=2,
                    max_position_embeddings=16, num_labels=1)
model = BertForSequenceClassification(config)
with tempfile.TemporaryDirectory() as d:
    t = Trainer(
        model=model, data_collator=collate, train_dataset=corpus(900), eval_dataset=corpus(150), compute_metrics=metrics,
        args=TrainingArguments(output_dir=d, num_train_epochs=4, per_device_train_batch_size=18, learning_rate=2e-3,
                               logging_steps=20, eval_strategy="epoch", save_strategy="no", report_to=[], seed=SEED,
                               remove_unused_columns=False, use_cpu=True, disable_tqdm=True))
    t.train()
