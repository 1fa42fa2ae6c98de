# fault: softmax-twice
# cause_class: output-activation, loss
# family: huggingface
# split: tune
# needs: transformers, accelerate
import os
import tempfile

import numpy as np
import torch
from torch import nn
from transformers import BertConfig, BertForSequenceClassification, Trainer, TrainingArguments, set_seed

SEED = int(os.environ.get("SEED", 0))
set_seed(SEED)


class Topics(torch.utils.data.Dataset):
    """Every topic has words of its own among many common ones."""

    def __init__(self, n, seed):
        g = torch.Generator().manual_seed(seed)
        self.y = torch.multinomial(torch.tensor([0.4, 0.2, 0.2, 0.2]), n, replacement=True, generator=g)
        self.x = torch.randint(44, 100, (n, 16), generator=g)
        for i in range(n):
            where = 1 + torch.randperm(15, generator=g)[:4]
            self.x[i, where] = 4 + 10 * self.y[i] + torch.randint(0, 10, (4,), generator=g)
        self.x[:, 0] = 1

    def __len__(self):
        return len(self.y)

    def __getitem__(self, i):
        return {"input_ids": self.x[i], "attention_mask": torch.ones(16, dtype=torch.long), "labels": self.y[i]}


class WeightedTrainer(Trainer):
    def __init__(self, *args, class_weights=None, **kwargs):
        super().__init__(*args, **kwargs)
        self.class_weights = class_weights

    def compute_loss(self, model, inputs, return_outputs=False, **kwargs):
        labels = inputs.pop("labels")
        outputs = model(**inputs)
        probs = outputs.logits.softmax(dim=-1)
        loss = nn.CrossEntropyLoss(weight=self.class_weights)(probs, labels)
        return (loss, outputs) if return_outputs else loss


def metrics(p):
    return {"accuracy": float((np.argmax(p.predictions, -1) == p.label_ids).mean())}


config = BertConfig(vocab_size=100, hidden_size=32, num_hidden_layers=2, num_attention_heads=2, intermediate_size=64,
                    max_position_embeddings=32, num_labels=4, hidden_dropout_prob=0.05, attention_probs_dropout_prob=0.05)
model = BertForSequenceClassification(config)
with tempfile.TemporaryDirectory() as out:
    targs = TrainingArguments(output_dir=out, num_train_epochs=4, per_device_train_batch_size=32, per_device_eval_batch_size=100,
                              learning_rate=2e-3, warmup_steps=10, logging_steps=20, save_strategy="no", report_to=[],
                              eval_strategy="epoch", seed=SEED, use_cpu=True, disable_tqdm=True)
    trainer = WeightedTrainer(model=model, args=targs, train_dataset=Topics(1200, SEED), eval_dataset=Topics(300, SEED + 1),
                              compute_metrics=metrics, class_weights=torch.tensor([0.6, 1.2, 1.2, 1.2]))
    trainer.train()
    print(trainer.evaluate())
