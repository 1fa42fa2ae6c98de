# fault: none
# family: huggingface
# split: held
# needs: transformers, accelerate
import os
import tempfile

import torch
from torch.utils.data import Dataset
from transformers import (RobertaConfig, RobertaForSequenceClassification, Trainer, TrainerCallback, TrainingArguments,
                          get_cosine_schedule_with_warmup, set_seed)

SEED = int(os.environ.get("SEED", 0))
set_seed(SEED)


class Pairs(Dataset):
    """Do the two halves of the sentence name the same colour?"""

    def __init__(self, n, seed):
        g = torch.Generator().manual_seed(seed)
        self.y = torch.randint(0, 2, (n,), generator=g)
        a = torch.randint(0, 4, (n,), generator=g)
        shift = torch.randint(1, 4, (n,), generator=g)
        b = torch.where(self.y == 1, a, (a + shift) % 4)
        x = torch.randint(20, 40, (n, 5), generator=g)
        place = torch.randint(0, 2, (2, n), generator=g)
        x[torch.arange(n), 1 + place[0]] = 4 + a
        x[torch.arange(n), 3 + place[1]] = 4 + b
        x[:, 0] = 0
        self.x = x

    def __len__(self):
        return len(self.y)

    def __getitem__(self, i):
        return {"input_ids": self.x[i], "attention_mask": torch.ones(5, dtype=torch.long), "labels": self.y[i]}


class Show(TrainerCallback):
    def on_evaluate(self, args, state, control, metrics=None, **kw):
        print(f"step {state.global_step} eval loss {metrics['eval_loss']:.4f} accuracy {metrics['eval_accuracy']:.3f}")


model = RobertaForSequenceClassification(RobertaConfig(
    vocab_size=40, hidden_size=48, num_hidden_layers=2, num_attention_heads=4, intermediate_size=96, max_position_embeddings=14,
    hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0, num_labels=2, pad_token_id=1, type_vocab_size=1, initializer_range=0.08))

STEPS, TOP, DECAY = 350, 2.5e-3, 0.7
rates = {"classifier": TOP, "encoder.layer.1": TOP * DECAY, "encoder.layer.0": TOP * DECAY ** 2, "embeddings": TOP * DECAY ** 3}
groups = [{"params": [p for n, p in model.named_parameters() if k in n], "lr": lr} for k, lr in rates.items()]
assert sum(len(g["params"]) for g in groups) == len(list(model.parameters()))
optimizer = torch.optim.AdamW(groups, weight_decay=0.01)

with tempfile.TemporaryDirectory() as out:
    args = TrainingArguments(output_dir=out, max_steps=STEPS, per_device_train_batch_size=48, per_device_eval_batch_size=256,
                             eval_strategy="steps", eval_steps=50, logging_steps=50, save_strategy="no", report_to=[], seed=SEED,
                             use_cpu=True, disable_tqdm=True)
    Trainer(model=model, args=args, train_dataset=Pairs(6000, SEED), eval_dataset=Pairs(256, SEED + 1), callbacks=[Show()],
            optimizers=(optimizer, get_cosine_schedule_with_warmup(optimizer, 30, STEPS)),
            compute_metrics=lambda p: {"accuracy": float((p.predictions.argmax(1) == p.label_ids).mean())}).train()
