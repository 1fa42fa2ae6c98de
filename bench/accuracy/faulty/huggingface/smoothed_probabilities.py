# fault: nll-on-probabilities
# cause_class: output-activation
# family: huggingface
# split: tune
# needs: transformers, accelerate
import os
import tempfile

import torch
import torch.nn.functional as F
from torch.utils.data import Dataset
from transformers import BertConfig, BertForSequenceClassification, Trainer, TrainingArguments, set_seed

SEED = int(os.environ.get("SEED", 0))
set_seed(SEED)


class Signs(Dataset):
    def __init__(self, n, seed):
        g = torch.Generator().manual_seed(seed)
        self.y = torch.randint(4, (n,), generator=g)
        self.x = torch.randint(8, 40, (n, 12), generator=g)
        for i in range(n):
            where = torch.randperm(12, generator=g)[:3]
            self.x[i, where] = self.y[i] + 2

    def __len__(self):
        return len(self.x)

    def __getitem__(self, i):
        return {"input_ids": self.x[i], "labels": self.y[i]}


class SmoothedTrainer(Trainer):
    def compute_loss(self, model, inputs, return_outputs=False, num_items_in_batch=None):
        labels = inputs.pop("labels")
        outputs = model(**inputs)
        logp = F.softmax(outputs.logits, dim=-1)
        eps = 0.05
        nll = -logp.gather(1, labels[:, None]).squeeze(1)
        smooth = -logp.mean(-1)
        loss = ((1 - eps) * nll + eps * smooth).mean()
        return (loss, outputs) if return_outputs else loss


cfg = BertConfig(vocab_size=40, hidden_size=32, num_hidden_layers=2, num_attention_heads=2, intermediate_size=64,
                 max_position_embeddings=16, num_labels=4)
with tempfile.TemporaryDirectory() as out:
    args = TrainingArguments(out, max_steps=200, per_device_train_batch_size=32, learning_rate=1e-3,
                             logging_steps=50, save_strategy="no", report_to=[], seed=SEED, use_cpu=True,
                             disable_tqdm=True, eval_strategy="steps", eval_steps=100)
    SmoothedTrainer(model=BertForSequenceClassification(cfg), args=args, train_dataset=Signs(3000, SEED),
                    eval_dataset=Signs(200, SEED + 1)).train()
