# fault: none
# family: huggingface
# split: tune
# needs: transformers, accelerate
import os
import tempfile

import torch
import torch.nn as nn
import torch.nn.functional as F
from transformers import PretrainedConfig, PreTrainedModel, Trainer, TrainingArguments, set_seed
from transformers.modeling_outputs import SequenceClassifierOutput

SEED = int(os.environ.get("SEED", 0))
set_seed(SEED)


class MLPConfig(PretrainedConfig):
    model_type = "tiny_mlp"

    def __init__(self, width=32, **kw):
        super().__init__(**kw)
        self.width = width


class MLPClassifier(PreTrainedModel):
    config_class = MLPConfig

    def __init__(self, config):
        super().__init__(config)
        w = config.width
        self.net = nn.Sequential(nn.Linear(12, w), nn.ReLU(), nn.Linear(w, w), nn.ReLU(), nn.Linear(w, config.num_labels))
        self.post_init()

    def _init_weights(self, module):
        pass

    def forward(self, features=None, labels=None):
        logits = self.net(features)
        loss = F.cross_entropy(logits, labels) if labels is not None else None
        return SequenceClassifierOutput(loss=loss, logits=logits)


class KDTrainer(Trainer):
    def __init__(self, *a, teacher=None, temperature=3.0, alpha=0.7, **kw):
        super().__init__(*a, **kw)
        self.teacher, self.t, self.alpha = teacher.eval(), temperature, alpha

    def compute_loss(self, model, inputs, return_outputs=False, **kw):
        out = model(**inputs)
        with torch.no_grad():
            ref = self.teacher(inputs["features"]).logits
        kd = F.kl_div(F.log_softmax(out.logits / self.t, -1), F.log_softmax(ref / self.t, -1), log_target=True,
                      reduction="batchmean") * self.t ** 2
        loss = self.alpha * kd + (1 - self.alpha) * out.loss
        return (loss, out) if return_outputs else loss


def rows(n, seed):
    g = torch.Generator().manual_seed(seed)
    x = torch.randn(n, 12, generator=g)
    y = (x[:, 0] + x[:, 1] * x[:, 2] > 0).long() + 2 * (x[:, 3] > x[:, 4]).long()
    return [{"features": a, "labels": int(b)} for a, b in zip(x, y)]


def args(out, epochs, lr):
    return TrainingArguments(output_dir=out, num_train_epochs=epochs, per_device_train_batch_size=50, learning_rate=lr,
                             eval_strategy="epoch", logging_strategy="epoch", save_strategy="no", report_to=[], use_cpu=True,
                             disable_tqdm=True, seed=SEED, remove_unused_columns=False)


acc = lambda p: {"accuracy": float((p.predictions.argmax(-1) == p.label_ids).mean())}
train, valid = rows(2000, SEED), rows(400, SEED + 1)
with tempfile.TemporaryDirectory() as out:
    teacher = MLPClassifier(MLPConfig(width=128, num_labels=4))
    Trainer(model=teacher, args=args(out, 6, 3e-3), train_dataset=train, eval_dataset=valid, compute_metrics=acc).train()
    student = MLPClassifier(MLPConfig(width=24, num_labels=4))
    KDTrainer(model=student, args=args(out, 8, 5e-3), train_dataset=train, eval_dataset=valid, compute_metrics=acc,
              teacher=teacher).train()
