# fault: too-few-updates
# cause_class: epochs, learning-rate
# family: huggingface
# split: held
# needs: transformers, accelerate
# alarm: no
import os
import tempfile

import torch
from transformers import ElectraConfig, ElectraForTokenClassification, Trainer, TrainingArguments, set_seed

SEED = int(os.environ.get("SEED", 0))
set_seed(SEED)
LEN = 12


def genes(n):
    """The first letter is the reading frame; a site is active when it fits the frame."""
    x = torch.randint(0, 8, (n, LEN))
    y = (x + x[:, :1]) % 2
    y[:, 0] = -100
    return [{"input_ids": a, "attention_mask": torch.ones(LEN, dtype=torch.long), "labels": b} for a, b in zip(x, y)]


def score(p):
    real = p.label_ids >= 0
    return {"accuracy": float((p.predictions.argmax(-1) == p.label_ids)[real].mean())}


model = ElectraForTokenClassification(ElectraConfig(
    vocab_size=8, embedding_size=32, hidden_size=32, num_hidden_layers=2, num_attention_heads=4,
    intermediate_size=64, max_position_embeddings=LEN, num_labels=2, hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0, initializer_range=0.06))

with tempfile.TemporaryDirectory() as tmp:
    args = TrainingArguments(
        output_dir=tmp, num_train_epochs=1, per_device_train_batch_size=16, gradient_accumulation_steps=2,
        learning_rate=1e-3, lr_scheduler_type="cosine", warmup_steps=10, logging_steps=10, save_strategy="no",
        report_to=[], seed=SEED, use_cpu=True, disable_tqdm=True)
    t = Trainer(model=model, args=args, train_dataset=genes(2400), eval_dataset=genes(200), compute_metrics=score)
    t.train()
    print(t.evaluate())
