# fault: none
# family: huggingface
# split: held
# needs: transformers, accelerate
import os
import tempfile

import torch
from torch.utils.data import Dataset
from transformers import Trainer, TrainingArguments, ViTConfig, ViTForImageClassification, set_seed

SEED = int(os.environ.get("SEED", 0))
set_seed(SEED)


class Corners(Dataset):
    """A bright 4x4 stamp in one of four quadrants on noise."""

    def __init__(self, n, seed):
        g = torch.Generator().manual_seed(seed)
        self.y = torch.randint(0, 4, (n,), generator=g)
        self.x = 0.5 * torch.randn(n, 1, 16, 16, generator=g)
        jitter = torch.randint(0, 5, (n, 2), generator=g)
        for i, q in enumerate(self.y.tolist()):
            r, c = 8 * (q // 2) + jitter[i, 0], 8 * (q % 2) + jitter[i, 1]
            self.x[i, 0, r:r + 4, c:c + 4] += 1.5

    def __len__(self):
        return len(self.y)

    def __getitem__(self, i):
        return {"pixel_values": self.x[i], "labels": self.y[i]}


model = ViTForImageClassification(ViTConfig(
    image_size=16, patch_size=4, num_channels=1, hidden_size=32, num_hidden_layers=2, num_attention_heads=4,
    intermediate_size=64, num_labels=4))

with tempfile.TemporaryDirectory() as d:
    args = TrainingArguments(
        output_dir=d, num_train_epochs=5, per_device_train_batch_size=20, per_device_eval_batch_size=100,
        learning_rate=3e-3, lr_scheduler_type="cosine_with_restarts", lr_scheduler_kwargs={"num_cycles": 2},
        warmup_steps=20, label_smoothing_factor=0.1, max_grad_norm=0.5, weight_decay=0.05,
        eval_strategy="epoch", logging_steps=50, save_strategy="no", report_to=[], use_cpu=True,
        disable_tqdm=True, seed=SEED)
    Trainer(model=model, args=args, train_dataset=Corners(1000, SEED), eval_dataset=Corners(200, SEED + 1),
            compute_metrics=lambda p: {"acc": float((p.predictions.argmax(-1) == p.label_ids).mean())}).train()
