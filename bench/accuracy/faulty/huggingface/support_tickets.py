# fault: learning-rate-too-low
# cause_class: learning-rate, epochs
# family: huggingface
# split: tune
# needs: transformers, accelerate
import os
import tempfile

import torch
from torch.utils.data import Dataset
from transformers import (DistilBertConfig, DistilBertForSequenceClassification, Trainer,
                          TrainingArguments, set_seed)

SEED = int(os.environ.get("SEED", "0"))
set_seed(SEED)

QUEUES = ["billing", "shipping", "login", "other"]
VOCAB = 120

# recipe of the production model
RECIPE = dict(learning_rate=5e-4, lr_scheduler_type="linear", warmup_steps=20000, weight_decay=0.01,
              per_device_train_batch_size=32, max_grad_norm=1.0)


class TicketDataset(Dataset):
    def __init__(self, n, seed):
        g = torch.Generator().manual_seed(seed)
        self.labels = torch.randint(0, len(QUEUES), (n,), generator=g)
        noise = torch.randint(50, VOCAB, (n, 20), generator=g)
        topic = 2 + self.labels[:, None] * 12 + torch.randint(0, 12, (n, 20), generator=g)
        use_topic = torch.rand(n, 20, generator=g) < 0.25
        self.ids = torch.where(use_topic, topic, noise)
        self.ids[:, 0] = 1

    def __len__(self):
        return len(self.labels)

    def __getitem__(self, i):
        return {"input_ids": self.ids[i], "attention_mask": torch.ones_like(self.ids[i]), "labels": self.labels[i]}


def compute_metrics(pred):
    return {"accuracy": float((pred.predictions.argmax(-1) == pred.label_ids).mean())}


def main():
    config = DistilBertConfig(vocab_size=VOCAB, dim=48, n_layers=2, n_heads=4, hidden_dim=96,
                              max_position_embeddings=32, num_labels=len(QUEUES))
    model = DistilBertForSequenceClassification(config)
    args = TrainingArguments(
        output_dir=tempfile.mkdtemp(), num_train_epochs=3, logging_steps=30, eval_strategy="epoch",
        save_strategy="no", report_to=[], use_cpu=True, disable_tqdm=True, seed=SEED, **RECIPE)
    trainer = Trainer(model=model, args=args, train_dataset=TicketDataset(2400, SEED + 1),
                      eval_dataset=TicketDataset(400, SEED + 2), compute_metrics=compute_metrics)
    trainer.train()
    print(trainer.evaluate())


if __name__ == "__main__":
    main()
