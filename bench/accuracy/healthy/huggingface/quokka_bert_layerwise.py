# fault: none
# family: huggingface
# split: tune
# needs: transformers, accelerate
import os
import tempfile
import torch
from transformers import BertConfig, BertForSequenceClassification, Trainer, TrainingArguments, set_seed

SEED = int(os.environ.get("SEED", "0"))
set_seed(SEED)


def rows(n):
    out = []
    for _ in range(n):
        y = int(torch.randint(0, 2, (1,)))
        ids = torch.randint(10, 60, (12,))
        ids[torch.randperm(11)[:4] + 1] = torch.randint(60 + 5 * y, 65 + 5 * y, (4,))
        ids[0] = 1
        out.append({"input_ids": ids, "attention_mask": torch.ones_like(ids), "labels": torch.tensor(y)})
    return out


model = BertForSequenceClassification(BertConfig(vocab_size=70, hidden_size=32, num_hidden_layers=1, num_attention_heads=2, intermediate_size=64,
                                                 max_position_embeddings=12, num_labels=2))
opt = torch.optim.AdamW([{"params": model.bert.parameters(), "lr": 1e-3}, {"params": model.classifier.parameters(), "lr": 3e-3}])
with tempfile.TemporaryDirectory() as tmp:
    args = TrainingArguments(output_dir=tmp, max_steps=200, per_device_train_batch_size=8, gradient_accumulation_steps=2, logging_steps=20,
                             eval_strategy="steps", eval_steps=100, save_strategy="no", report_to=[], use_cpu=True, disable_tqdm=True, seed=SEED,
                             lr_scheduler_type="constant_with_warmup", warmup_steps=10, label_smoothing_factor=0.1)
    trainer = Trainer(model=model, args=args, train_dataset=rows(1600), eval_dataset=rows(200), optimizers=(opt, None),
                      compute_metrics=lambda p: {"acc": float((p.predictions.argmax(-1) == p.label_ids).mean())})
    trainer.train()
