# fault: none
# family: huggingface
# split: tune
# needs: transformers, accelerate
import os
import tempfile

import numpy as np
import torch
from transformers import Trainer, TrainingArguments, ViTConfig, ViTForImageClassification, set_seed

SEED = int(os.environ.get("SEED", 0))
set_seed(SEED)


class Spots(torch.utils.data.Dataset):
    """A bright spot in one of four corners; the colour does not count."""

    def __init__(self, n, seed):
        rng = np.random.default_rng(seed)
        self.y = rng.integers(0, 4, n)
        self.x = rng.normal(0, 0.5, (n, 3, 16, 16)).astype(np.float32)
        for i, c in enumerate(self.y):
            r, k = 8 * (c // 2) + rng.integers(0, 5), 8 * (c % 2) + rng.integers(0, 5)
            self.x[i, :, r:r + 4, k:k + 4] += rng.uniform(1.2, 2.4, (3, 1, 1)).astype(np.float32)

    def __len__(self):
        return len(self.y)

    def __getitem__(self, i):
        return {"pixel_values": torch.from_numpy(self.x[i]), "labels": int(self.y[i])}


config = ViTConfig(hidden_size=32, num_hidden_layers=2, num_attention_heads=2, intermediate_size=64, image_size=16, patch_size=4,
                   num_labels=4, hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0)
model = ViTForImageClassification(config)
decay = [p for n, p in model.named_parameters() if p.dim() > 1 and "embeddings" not in n]
rest = [p for n, p in model.named_parameters() if not (p.dim() > 1 and "embeddings" not in n)]
opt = torch.optim.AdamW([{"params": decay, "weight_decay": 0.05}, {"params": rest, "weight_decay": 0.0}], lr=2e-3)
with tempfile.TemporaryDirectory() as out:
    args = TrainingArguments(output_dir=out, num_train_epochs=6, per_device_train_batch_size=16, gradient_accumulation_steps=2,
                             per_device_eval_batch_size=64, max_grad_norm=0.5, bf16=False, logging_strategy="epoch",
                             eval_strategy="epoch", save_strategy="no", report_to=[], use_cpu=True, disable_tqdm=True, seed=SEED)
    sched = torch.optim.lr_scheduler.OneCycleLR(opt, max_lr=3e-3, total_steps=6 * 32)
    Trainer(model=model, args=args, train_dataset=Spots(1000, SEED), eval_dataset=Spots(200, SEED + 1), optimizers=(opt, sched),
            compute_metrics=lambda p: {"accuracy": float((p.predictions.argmax(-1) == p.label_ids).mean())}).train()
