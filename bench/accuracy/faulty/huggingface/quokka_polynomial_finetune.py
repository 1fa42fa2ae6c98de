# fault: learning-rate-too-low
# cause_class: learning-rate, optimizer
# family: huggingface
# split: tune
# needs: transformers, accelerate
import os
import tempfile
import torch
from transformers import BertConfig, BertForSequenceClassification, Trainer, TrainingArguments, set_seed

seed = int(os.environ.get("SEED", "0"))
set_seed(seed)


class Tickets(torch.utils.data.Dataset):
    """Support tickets: the topic follows from which keyword band is most frequent."""

    def __init__(self, n):
        g = torch.Generator().manual_seed(seed + n)
        self.labels = torch.randint(0, 3, (n,), generator=g)
        ids = torch.randint(5, 80, (n, 14), generator=g)
        for i, l in enumerate(self.labels.tolist()):
            ids[i, torch.randperm(13, generator=g)[:5] + 1] = 80 + 6 * l + torch.randint(0, 6, (5,), generator=g)
        ids[:, 0] = 2
        self.ids = ids

    def __len__(self):
        return len(self.labels)

    def __getitem__(self, i):
        return {"input_ids": self.ids[i], "attention_mask": torch.ones(14, dtype=torch.long), "labels": self.labels[i]}


config = BertConfig(vocab_size=100, hidden_size=32, num_hidden_layers=2, num_attention_heads=2,
                    intermediate_size=64, max_position_embeddings=16, num_labels=3)
model = BertForSequenceClassification(config)

with tempfile.TemporaryDirectory() as out:
    args = TrainingArguments(
        output_dir=out,
        learning_rate=5e-4,
        lr_scheduler_type="linear",
        warmup_steps=20000,
        per_device_train_batch_size=16,
        max_steps=200,
        logging_steps=20,
        save_strategy="no",
        report_to=[],
        use_cpu=True,
        seed=seed,
        disable_tqdm=True,
    )
    trainer = Trainer(model=model, args=args, train_dataset=Tickets(1600), eval_dataset=Tickets(320),
                      compute_metrics=lambda p: {"accuracy": float((p.predictions.argmax(-1) == p.label_ids).mean())})
    trainer.train()
    print(trainer.evaluate())
