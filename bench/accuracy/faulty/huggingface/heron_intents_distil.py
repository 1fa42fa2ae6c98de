# fault: learning-rate-too-low
# cause_class: learning-rate
# family: huggingface
# split: held
# needs: transformers, accelerate
import dataclasses
import os
import tempfile

import torch
from transformers import DistilBertConfig, DistilBertForSequenceClassification, Trainer, TrainingArguments, set_seed


@dataclasses.dataclass
class Recipe:
    peak_lr: float = 6e-4
    warmup_steps: int = 10_000
    scheduler: str = "linear"
    epochs: int = 6
    batch_size: int = 32
    weight_decay: float = 0.01


SEED = int(os.environ.get("SEED", 0))
set_seed(SEED)
recipe = Recipe()
INTENTS, VOCAB, LEN = 6, 120, 12


def utterances(n, seed):
    g = torch.Generator().manual_seed(seed)
    rows = []
    for _ in range(n):
        intent = int(torch.randint(0, INTENTS, (1,), generator=g))
        ids = torch.randint(40, VOCAB, (LEN,), generator=g)
        slot = torch.randperm(LEN, generator=g)[:4]
        ids[slot] = 2 + intent * 6 + torch.randint(0, 6, (4,), generator=g)
        rows.append({"input_ids": ids, "attention_mask": torch.ones(LEN, dtype=torch.long), "labels": intent})
    return rows


train, dev = utterances(1200, SEED), utterances(300, SEED + 1)
model = DistilBertForSequenceClassification(DistilBertConfig(
    vocab_size=VOCAB, dim=48, hidden_dim=96, n_layers=2, n_heads=4, max_position_embeddings=LEN, num_labels=INTENTS))
args = TrainingArguments(
    output_dir=tempfile.mkdtemp(), num_train_epochs=recipe.epochs, per_device_train_batch_size=recipe.batch_size,
    per_device_eval_batch_size=100, learning_rate=recipe.peak_lr, lr_scheduler_type=recipe.scheduler,
    warmup_steps=recipe.warmup_steps, weight_decay=recipe.weight_decay, eval_strategy="epoch", logging_steps=19,
    save_strategy="no", report_to="none", use_cpu=True, disable_tqdm=True, seed=SEED)
trainer = Trainer(model=model, args=args, train_dataset=train, eval_dataset=dev,
                  compute_metrics=lambda p: {"acc": float((p.predictions.argmax(-1) == p.label_ids).mean())})
trainer.train()
print(trainer.evaluate())
