# fault: broadcast-targets
# cause_class: labels, loss
# family: huggingface
# split: tune
# needs: transformers, accelerate
"""Score how easy a text reads: DistilBERT body with one output and a robust loss of our own."""
import os
import tempfile
import torch
import torch.nn.functional as F
from transformers import DistilBertConfig, DistilBertForSequenceClassification, Trainer, TrainingArguments, set_seed

seed = int(os.environ.get("SEED", 0))
set_seed(seed)


def texts(n, length=12, vocab=60):
    ids = torch.randint(4, vocab, (n, length))
    difficulty = torch.linspace(-1, 1, vocab)
    score = difficulty[ids].mean(1)
    return [{"input_ids": i, "attention_mask": torch.ones(length, dtype=torch.long), "labels": s / 0.166}
            for i, s in zip(ids, score)]


class ScoreTrainer(Trainer):
    def compute_loss(self, model, inputs, return_outputs=False, **kwargs):
        labels = inputs.pop("labels")
        outputs = model(**inputs)
        loss = F.smooth_l1_loss(outputs.logits, labels)
        return (loss, outputs) if return_outputs else loss


def r_squared(p):
    y, f = p.label_ids.reshape(-1), p.predictions.reshape(-1)
    return {"r2": float(1 - ((y - f) ** 2).mean() / y.var())}


config = DistilBertConfig(vocab_size=60, dim=32, n_layers=2, n_heads=4, hidden_dim=64, max_position_embeddings=16,
                          num_labels=1, dropout=0.0, attention_dropout=0.0, seq_classif_dropout=0.0)
model = DistilBertForSequenceClassification(config)
with tempfile.TemporaryDirectory() as tmp:
    args = TrainingArguments(tmp, num_train_epochs=6, per_device_train_batch_size=32, per_device_eval_batch_size=200,
                             learning_rate=1e-3, logging_steps=35, eval_strategy="epoch", save_strategy="no",
                             report_to="none", disable_tqdm=True, use_cpu=True, seed=seed, label_names=["labels"])
    trainer = ScoreTrainer(model=model, args=args, train_dataset=texts(1120), eval_dataset=texts(200),
                           compute_metrics=r_squared)
    trainer.train()
