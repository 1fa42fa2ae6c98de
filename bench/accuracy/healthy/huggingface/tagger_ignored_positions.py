# fault: none
# family: huggingface
# split: tune
# needs: numpy, transformers, accelerate
import os
import tempfile
import numpy as np
import torch
from torch.utils.data import Dataset
from transformers import (DataCollatorForTokenClassification, RobertaConfig, RobertaForTokenClassification, Trainer,
                          TrainerCallback, TrainingArguments, set_seed)

SEED = int(os.environ.get("SEED", 0))
set_seed(SEED)


class Names(Dataset):
    """Tags: 0 outside, 1 person, 2 place. A title word announces a person, a preposition a place. Sub-words are -100."""
    def __init__(self, n, rng):
        self.rows = []
        for _ in range(n):
            ids, tags = [0], [-100]
            for _ in range(rng.integers(3, 6)):
                kind = rng.choice(3, p=[0.5, 0.25, 0.25])
                if kind:
                    ids += [10 + kind, int(rng.integers(20, 50)), int(rng.integers(50, 60))]
                    tags += [0, int(kind), -100]
                else:
                    ids.append(int(rng.integers(15, 50)))
                    tags.append(0)
            self.rows.append((ids + [2], tags + [-100]))

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, i):
        ids, tags = self.rows[i]
        width = 20
        pad = width - len(ids)
        return {"input_ids": torch.tensor(ids + [1] * pad), "attention_mask": torch.tensor([1] * len(ids) + [0] * pad),
                "labels": torch.tensor(tags + [-100] * pad)}


def scores(p):
    keep = p.label_ids != -100
    pred, true = p.predictions.argmax(-1)[keep], p.label_ids[keep]
    tp = ((pred == true) & (true > 0)).sum()
    return {"f1": float(2 * tp / max((pred > 0).sum() + (true > 0).sum(), 1))}


class Show(TrainerCallback):
    def on_evaluate(self, args, state, control, metrics, **kwargs):
        print(f"step {state.global_step}: eval loss {metrics['eval_loss']:.4f} f1 {metrics['eval_f1']:.3f}")


rng = np.random.default_rng(SEED)
model = RobertaForTokenClassification(RobertaConfig(
    vocab_size=60, hidden_size=32, num_hidden_layers=2, num_attention_heads=2, intermediate_size=64,
    max_position_embeddings=24, num_labels=3, pad_token_id=1, type_vocab_size=1))
with tempfile.TemporaryDirectory() as tmp:
    args = TrainingArguments(output_dir=tmp, num_train_epochs=7, per_device_train_batch_size=20,
                             per_device_eval_batch_size=200, learning_rate=3e-3, eval_strategy="epoch",
                             save_strategy="no", report_to=[], disable_tqdm=True, use_cpu=True, seed=SEED,
                             logging_steps=50, lr_scheduler_type="constant_with_warmup", warmup_steps=15)
    Trainer(model=model, args=args, train_dataset=Names(900, rng), eval_dataset=Names(200, rng),
            compute_metrics=scores, callbacks=[Show()]).train()
