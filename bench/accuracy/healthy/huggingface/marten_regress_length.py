# fault: none
# family: huggingface
# split: held
# needs: transformers, accelerate
import os
import tempfile

import torch
from transformers import BertConfig, BertForSequenceClassification, Trainer, TrainingArguments, set_seed

SEED = int(os.environ.get("SEED", 0))
set_seed(SEED)
weights = torch.randn(50)


def rows(n):
    """Texts of different lengths; the target is the mean weight of their words, standardised."""
    out = []
    for _ in range(n):
        ids = torch.randint(3, 50, (int(torch.randint(8, 16, (1,))),))
        out.append({"input_ids": ids, "score": weights[ids].mean().item()})
    return out


def collate(items):
    longest = max(len(i["input_ids"]) for i in items)
    ids = torch.zeros(len(items), longest, dtype=torch.long)
    for k, i in enumerate(items):
        ids[k, :len(i["input_ids"])] = i["input_ids"]
    return {"input_ids": ids, "attention_mask": (ids > 0).long(), "labels": torch.tensor([i["labels"] for i in items])}


train, test = rows(1800), rows(256)
scores = torch.tensor([r["score"] for r in train])
for r in train + test:
    r["labels"] = (r.pop("score") - scores.mean().item()) / scores.std().item()

model = BertForSequenceClassification(BertConfig(
    vocab_size=50, hidden_size=48, num_hidden_layers=2, num_attention_heads=4, intermediate_size=96, max_position_embeddings=20,
    hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0, num_labels=1, initializer_range=0.05))

with tempfile.TemporaryDirectory() as out:
    trainer = Trainer(
        model=model, data_collator=collate, train_dataset=train, eval_dataset=test,
        args=TrainingArguments(output_dir=out, num_train_epochs=4, per_device_train_batch_size=16, gradient_accumulation_steps=2,
                               learning_rate=1.5e-3, warmup_steps=30, lr_scheduler_type="linear", logging_steps=40, eval_strategy="epoch",
                               save_strategy="no", report_to=[], seed=SEED, use_cpu=True, disable_tqdm=True, remove_unused_columns=False))
    trainer.train()
