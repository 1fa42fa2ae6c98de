"""Trainings by the Trainer of Hugging Face, with tiny models made from a configuration."""

import os
import tempfile

os.environ["HF_HUB_OFFLINE"] = "1"

import torch
import transformers
from common import clouds, each
from torch import nn
from transformers import (
    BertConfig,
    BertForSequenceClassification,
    GPT2Config,
    GPT2LMHeadModel,
    LlamaConfig,
    LlamaForCausalLM,
    Trainer,
    TrainingArguments,
)

transformers.logging.set_verbosity_error()
transformers.logging.disable_progress_bar()
WORDS = 40


def train(model, data, steps, held_out=None, callbacks=(), trainer=Trainer, collate=None, **options):
    """Train; (model, what the Trainer logged)."""
    if held_out is not None:
        options.setdefault("eval_strategy", "steps")
        options.setdefault("eval_steps", steps // 2)
    settings = dict(per_device_train_batch_size=16, per_device_eval_batch_size=16, learning_rate=3e-3, lr_scheduler_type="constant")
    settings.update(options)
    with tempfile.TemporaryDirectory() as where:
        arguments = TrainingArguments(output_dir=where, max_steps=steps, logging_steps=1, report_to="none", save_strategy="no",
                                      disable_tqdm=True, use_cpu=True, **settings)  # fmt: skip
        t = trainer(model=model, args=arguments, train_dataset=data, eval_dataset=held_out, data_collator=collate, callbacks=list(callbacks))
        t.remove_callback(transformers.trainer_callback.PrinterCallback)
        t.train()
    log = t.state.log_history
    return model, {
        "losses": [e["loss"] for e in log if "loss" in e],
        "eval": [e["eval_loss"] for e in log if "eval_loss" in e],
        "steps": t.state.global_step,
    }


def sentences(n, seed=0):
    """Rows of words; the class is told by which half of the words comes first."""
    g = torch.Generator().manual_seed(seed)
    rows = torch.randint(1, WORDS, (n, 12), generator=g)
    return [{"input_ids": r, "attention_mask": torch.ones_like(r), "labels": (r[0] > WORDS // 2).long()} for r in rows]


def texts(n, seed=0, shortest=3):
    """Words that count upwards, in rows of different lengths: what is missing is no label."""
    g = torch.Generator().manual_seed(seed)
    out = []
    for _ in range(n):
        start, length = (int(torch.randint(a, b, (1,), generator=g)) for a, b in ((1, WORDS), (shortest, 13)))
        row = (torch.arange(12) + start) % WORDS
        out.append({"input_ids": row, "attention_mask": (torch.arange(12) < length).long(), "labels": row.where(torch.arange(12) < length, -100)})
    return out


def bert(**options):
    return BertForSequenceClassification(BertConfig(vocab_size=WORDS, hidden_size=32, num_hidden_layers=2, num_attention_heads=2, intermediate_size=64, max_position_embeddings=16, **options))


def gpt():
    return GPT2LMHeadModel(GPT2Config(vocab_size=WORDS, n_positions=16, n_embd=32, n_layer=2, n_head=2, bos_token_id=0, eos_token_id=0))


def classification():
    return train(bert(), sentences(320), 20, sentences(48, 1))


def accumulated():
    """Token-counted accumulation: every micro-batch gives its part of one mean over all tokens of the update."""
    return train(gpt(), texts(400), 16, gradient_accumulation_steps=4, per_device_train_batch_size=4)


def smoothed():
    return train(bert(num_labels=2), sentences(320), 12, gradient_accumulation_steps=2, per_device_train_batch_size=8, label_smoothing_factor=0.1)


def language():
    config = LlamaConfig(vocab_size=WORDS, hidden_size=32, intermediate_size=64, num_hidden_layers=2, num_attention_heads=2, num_key_value_heads=1, max_position_embeddings=16)
    return train(LlamaForCausalLM(config), texts(400), 16, texts(32, 1), learning_rate=5e-3)


class Plain(nn.Module):
    """A model that is none of the library's: it takes no count, so the Trainer divides by the number of micro-batches."""

    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(10, 24), nn.ReLU(), nn.Linear(24, 3))

    def forward(self, x, labels=None):
        logits = self.net(x)
        return {"loss": nn.functional.cross_entropy(logits, labels), "logits": logits}


def plain():
    x, y = clouds(400, 10, 3)
    data = [{"x": a, "labels": b} for a, b in zip(x, y)]
    return train(Plain(), data, 20, data[:32], gradient_accumulation_steps=2)


def called():
    """With the callback, and an evaluation whose loss the trainer alone computes."""
    from vigil.huggingface import VigilCallback

    return train(bert(), sentences(320), 12, sentences(48, 1), callbacks=[VigilCallback(close=True)], label_smoothing_factor=0.1)


if __name__ == "__main__":
    each(globals())
