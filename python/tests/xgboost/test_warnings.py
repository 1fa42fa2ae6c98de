"""What XGBoost warns of, and in the name of which line, is what it is without Vigil: as often, in the same order."""

import sys

import pytest
from conftest import EACH, HEAD
from with_and_without_vigil import train

# Each warns whenever a model is set up: at its first round or question, and again after a parameter was changed.
ODD = '{"objective": "binary:logistic", "max_depth": 2, "device": "cuda", "unheard_of": 1, "nthread": 1}'

# name -> (text, rounds that are captured).
TRAININGS = {
    "a model": ('xgb.train(ODD, d, 3, evals=[(v, "test")])', 3),
    "without evaluation": ("xgb.train(ODD, d, 3)", 3),
    "a linear model": ('xgb.train(dict(ODD, booster="gblinear"), d, 3, evals=[(v, "test")])', 3),
    "an objective of its own": ("xgb.train(ODD, d, 3, obj=lambda p, d: (p - d.get_label(), np.ones_like(p)))", 3),
    "stopped early, for which XGBoost asks before the first round": ('xgb.train(ODD, d, 3, evals=[(v, "test")], early_stopping_rounds=2)', 3),
    "a rate for each round": ("xgb.train(ODD, d, 3, callbacks=[xgb.callback.LearningRateScheduler(lambda i: 0.1 / (i + 1))])", 3),
    "a parameter that is changed after each round": ("xgb.train(ODD, d, 3, callbacks=[Callback(after=change)])", 3),
    "a script that asks before the training": ("xgb.train(ODD, d, 3, callbacks=[Callback(begin=ask)])", 3),
    "a script that asks before each round": ("xgb.train(ODD, d, 3, callbacks=[Callback(before=ask)])", 3),
    "a script that records before each round": ('xgb.train(ODD, d, 3, callbacks=[Callback(before=lambda m: vigil.log({"a": 1}))])', 3),
    "stopped by a callback before its first round": ("xgb.train(ODD, d, 3, callbacks=[Callback(before=lambda m: True)])", 0),
    "trained further": ("m = xgb.train(ODD, d, 2)\nxgb.train(ODD, d, 2, xgb_model=m)", 4),
    "trained further from a file": ('m = xgb.train(ODD, d, 2)\nm.save_model("m.json")\nxgb.train(ODD, d, 2, xgb_model="m.json")', 4),
    "several models": ("for _ in range(3):\n    xgb.train(ODD, d, 2)", 2),
    "several models, each place shown once": ("warnings.simplefilter('default')\nfor _ in range(3):\n    xgb.train(ODD, d, 2)", 2),
    "updated": ('m = xgb.train(ODD, d, 2)\nxgb.train(dict(ODD, process_type="update", updater="refresh", refresh_leaf=True), d, 2, xgb_model=m)', 2),
    "a cross-validation before it": ("xgb.cv(ODD, d, 2, nfold=2)\nxgb.train(ODD, d, 2)", 2),
    "scikit-learn's kind": ("xgb.XGBClassifier(n_estimators=3, device='cuda', unheard_of=1, n_jobs=1).fit(X, Y)", 3),
    "a hook": ("import vigil.xgboost\nxgb.train(ODD, d, 3, callbacks=[vigil.xgboost.Hook()])", 3),
}

SCRIPT = """
import tempfile, vigil, warnings
os.chdir(tempfile.mkdtemp())

def show(message, category, filename, lineno, file=None, line=None):
    text = str(message).split("] ", 1)[-1]
    if "WARNING" in text:
        print("%s:%d: %s" % (filename, lineno, " ".join(text.split())))

warnings.showwarning = show

class Callback(xgb.callback.TrainingCallback):
    def __init__(self, begin=None, before=None, after=None):
        self.begin, self.before, self.after = begin, before, after
    def before_training(self, model):
        if self.begin:
            self.begin(model)
        return model
    def before_iteration(self, model, epoch, log):
        return bool(self.before and self.before(model))
    def after_iteration(self, model, epoch, log):
        return bool(self.after and self.after(model))

def change(model):
    model.set_param("max_depth", 3)

def ask(model):
    model.num_boosted_rounds()

for name, text in TRAININGS:
    sys.stdout.flush()
    pid = os.fork()
    if pid == 0:
        print("TRAINING", name)
        warnings.simplefilter("always")
        d, v = pair(Y)
        exec(text, globals())
        sys.exit(0)
    _, status = os.waitpid(pid, 0)
    if status:
        sys.exit("%s: exit status %d" % (name, status))
"""


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    path = tmp_path_factory.mktemp("warnings") / "script.py"
    texts = [(name, TRAININGS[name][0]) for name in sorted(TRAININGS)]
    path.write_text(HEAD + "ODD = %s\nTRAININGS = %r\n%s" % (ODD, texts, SCRIPT))
    return train([sys.executable, str(path)], named=EACH, env={"OMP_NUM_THREADS": "1"})


def warned(out, name):
    """The warnings of a training."""
    parts = {part.split("\n", 1)[0]: part.split("\n")[1:] for part in out.split("TRAINING ")[1:]}
    lines = [line for line in parts[name] if "WARNING" in line]
    # XGBoost's text begins with the time of day: where each text is shown once, one more is shown for each second that begins meanwhile.
    return list(dict.fromkeys(lines)) if "once" in name else lines


@pytest.mark.parametrize("name", sorted(TRAININGS))
def test_warnings_are_those_without_vigil(trained, name):
    plain = warned(trained.plain_out, name)
    assert warned(trained.out, name) == plain
    assert plain or TRAININGS[name][1] == 0, trained.plain_out


def test_the_trainings_were_watched(trained):
    rounds = sorted(len(run.steps) for run in trained.runs)
    assert rounds == sorted(n for _, n in TRAININGS.values()), trained.err
