# fault: none
# family: huggingface
# split: held
# needs: transformers, accelerate, numpy
import os
import tempfile

import numpy as np
import torch
from transformers import RobertaConfig, RobertaForSequenceClassification, Trainer, TrainingArguments, set_seed

SEED = int(os.environ.get("SEED", 0))
set_seed(SEED)


def intents(n, seed):
    r = np.random.default_rng(seed)
    out = []
    for _ in range(n):
        y = int(r.integers(5))
        ids = r.integers(40, 110, 14)
        k = r.choice(14, 4, replace=False)
        ids[k] = 5 + y * 5 + r.integers(0, 5, 4)
        ids[0] = 2
        out.append({"input_ids": ids, "attention_mask": np.ones(14, dtype=np.int64), "labels": y})
    return out


class LayerwiseTrainer(Trainer):
    decay = 0.7

    def create_optimizer(self, model=None):
        depth = self.model.config.num_hidden_layers
        groups = {}
        for n, p in self.model.named_parameters():
            if "embeddings" in n:
                k = depth + 1
            elif ".layer." in n:
                k = depth - int(n.split(".layer.")[1].split(".")[0])
            else:
                k = 0
            groups.setdefault(k, []).append(p)
        self.optimizer = torch.optim.AdamW(
            [{"params": ps, "lr": self.args.learning_rate * self.decay ** k} for k, ps in sorted(groups.items())],
            weight_decay=0.01)
        return self.optimizer


model = RobertaForSequenceClassification(RobertaConfig(
    vocab_size=110, hidden_size=32, num_hidden_layers=2, num_attention_heads=2, intermediate_size=64,
    max_position_embeddings=20, num_labels=5, pad_token_id=1))
with tempfile.TemporaryDirectory() as d:
    t = LayerwiseTrainer(
        model=model,
        args=TrainingArguments(output_dir=d, max_steps=240, per_device_train_batch_size=16, learning_rate=3e-3,
                               warmup_steps=20, lr_scheduler_type="cosine", logging_steps=30, save_strategy="no",
                               report_to="none", disable_tqdm=True, seed=SEED, use_cpu=True),
        train_dataset=intents(1500, SEED + 1), eval_dataset=intents(300, SEED + 2),
        compute_metrics=lambda p: {"acc": float((p.predictions.argmax(-1) == p.label_ids).mean())})
    t.train()
    print(t.evaluate())
