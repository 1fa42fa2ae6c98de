# fault: frozen-by-mistake
# cause_class: not-updated, structure
# family: huggingface
# split: tune
# needs: transformers, accelerate
import os
import tempfile
import torch
from transformers import DistilBertConfig, DistilBertForSequenceClassification, Trainer, TrainingArguments, set_seed

SEED = int(os.environ.get("SEED", "0"))
set_seed(SEED)


def make(n):
    """Label: does token 7 come before token 9?"""
    ids = torch.randint(20, 60, (n, 10))
    pos = torch.rand(n, 9).argsort(1)[:, :2] + 1
    ids[torch.arange(n), pos[:, 0]] = 7
    ids[torch.arange(n), pos[:, 1]] = 9
    ids[:, 0] = 1
    y = (pos[:, 0] < pos[:, 1]).long()
    return [{"input_ids": a, "attention_mask": torch.ones_like(a), "labels": b} for a, b in zip(ids, y)]


def build(unfreeze_last=1):
    model = DistilBertForSequenceClassification(DistilBertConfig(
        vocab_size=64, dim=32, hidden_dim=64, n_layers=3, n_heads=4, max_position_embeddings=12, num_labels=2,
        dropout=0.0, attention_dropout=0.0, seq_classif_dropout=0.0))
    for block in model.distilbert.transformer.layer[:-unfreeze_last]:
        for p in block.parameters():
            p.requires_grad = False
    for p in model.distilbert.transformer.layer[-unfreeze_last].attention.parameters():
        p.requires_grad = False
    return model


model = build()
with tempfile.TemporaryDirectory() as tmp:
    trainer = Trainer(
        model=model,
        args=TrainingArguments(output_dir=tmp, learning_rate=1e-3, max_steps=250, per_device_train_batch_size=16, logging_steps=50,
                               warmup_steps=10, save_strategy="no", report_to=[], use_cpu=True, disable_tqdm=True, seed=SEED),
        train_dataset=make(2000), eval_dataset=make(300),
        compute_metrics=lambda p: {"acc": float((p.predictions.argmax(-1) == p.label_ids).mean())})
    trainer.train()
    print(trainer.evaluate())
