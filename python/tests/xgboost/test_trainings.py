"""Which training of a process is followed, and what the script can say about it."""

import json
import os

import collector
import marks_in_words
from conftest import HEAD

DATA = 'd, v = pair(Y)\nparams = {"objective": "binary:logistic", "max_depth": 2}\n'


def reasons(run):
    return [m["reason"] for m in run.missing]


def test_a_model_that_is_trained_further_goes_on_in_its_steps(watched):
    w = watched(DATA + """
m = xgb.train(params, d, 3, evals=[(v, "test")])
m = xgb.train(params, d, 4, evals=[(v, "test")], xgb_model=m)
end(m)
""")  # fmt: skip
    assert w.same
    assert [s.number for s in w.steps] == list(range(7))
    assert [w.array(i, "trees/Tree")[0] for i in range(7)] == list(range(7))
    assert w.run.missing == []


def test_a_model_from_a_file_goes_on_in_its_steps(watched, tmp_path):
    w = watched(DATA + """
import vigil.xgboost as vg
hook = vg.Hook()
xgb.train(params, d, 5).save_model(%r)
m = xgb.train(params, d, 3, xgb_model=%r, callbacks=[hook])
end(m)
""" % ((str(tmp_path / "m.json"),) * 2))  # fmt: skip
    assert w.same
    assert [s.number for s in w.steps] == [5, 6, 7] == [s.mode_step for s in w.steps]
    assert [w.array(i, "trees/Tree")[0] for i in range(3)] == [5, 6, 7]


def test_of_several_trainings_the_first_is_followed_and_that_is_said(watched):
    w = watched(DATA + """
for seed in range(3):
    m = xgb.train(dict(params, seed=seed, subsample=0.5), d, 4 + seed, evals=[(v, "test")])
end(m)
""")  # fmt: skip
    assert w.same
    assert len(w.steps) == 4
    assert reasons(w.run) == ["only the first training of a process is followed, and those that continue its model"] * 2
    assert len(w.run.notices) == 1 and "Hook()" in w.run.notices[0]["hint"]


def test_a_hook_chooses_the_training(watched):
    w = watched(DATA + """
import vigil.xgboost as vg
hook = vg.Hook()
xgb.cv(params, d, 3, nfold=3)
xgb.train(params, d, 3)
m = xgb.train(params, d, 5, evals=[(v, "test")], callbacks=[hook])
xgb.train(params, d, 7, callbacks=[hook])
end(m, active=hook.active)
""")  # fmt: skip
    assert w.same and w.said["active"]
    assert len(w.steps) == 5
    assert len(w.run.missing) == 1


def test_a_hook_follows_a_cross_validation_by_its_metrics(watched):
    w = watched(DATA + """
import vigil.xgboost as vg
t = xgb.cv(params, d, 4, nfold=3, metrics=["logloss"], as_pandas=False, callbacks=[vg.Hook()])
end(xgb.train(params, d, 1), t=t)
""")  # fmt: skip
    assert w.run.series("train-logloss") == w.said["t"]["train-logloss-mean"]
    assert w.run.series("test-logloss") == w.said["t"]["test-logloss-mean"]


def test_a_process_that_only_cross_validates_says_so(sockdir):
    agent = collector.Collector(os.path.join(sockdir, "s"))
    text = "import numpy as np, xgboost as xgb\nx = np.random.rand(60, 2)\nxgb.cv({}, xgb.DMatrix(x, x[:, 0]), 2)\n"
    try:
        collector.train(["-c", text], env=collector.environment(VIGIL_SOCKET=agent.path, VIGIL_STRICT="1"))
    finally:
        agent.die()
    assert not agent.runs and len(agent.idle) == 1 and "only xgboost.cv was called" in agent.idle[0]


def test_what_the_script_records(watched):
    w = watched(DATA + """
import vigil, vigil.xgboost as vg
hook = vg.Hook(collections=[{"name": "mine", "regex": "extra", "raw": True}], hyperparameters={"depth asked for": 2, "who": "me"}, validation_data=d)
class Mine(xgb.callback.TrainingCallback):
    def after_iteration(self, model, epoch, log):
        hook.save_scalar("late", epoch)
    def before_iteration(self, model, epoch, log):
        hook.save_scalar("early", epoch)
        hook.save_scalar("loss", 10 - epoch)
        hook.save_tensor("extra", np.arange(epoch + 1.0))
        vigil.log({"logged": epoch})
m = xgb.train(params, d, 3, evals=[(v, "test")], callbacks=[Mine(), hook])
hook.save_scalar("after", 1)
hook.close()
hook.save_scalar("nothing", 1)
end(m, labels=d.get_label().tolist())
""")  # fmt: skip
    assert w.same
    assert w.run.series("scalar/early") == [0, 1, 2] == w.run.series("logged")
    assert w.run.series("loss") == [10, 9, 8]
    assert [s.values("extra", "d") for s in w.steps] == [(0,), (0, 1), (0, 1, 2)]
    assert w.run.free == [("scalar/late", i, 0, i) for i in range(3)] + [("scalar/after", 2, 0, 1)]
    assert w.steps[0].scalars["hyperparameters/depth asked for"] == 2
    assert w.run.facts["boosting"]["hyperparameters"]["who"] == "me"
    assert list(w.array(0, "labels")) == w.said["labels"]
    assert w.run.of("collection")[0]["name"] == "mine"
    assert w.run.facts["boosting"]["predictions_for"]["name"] == "the hook's validation_data"


def test_a_mode_that_the_script_sets(watched):
    w = watched(DATA + 'import vigil.xgboost as vg\nhook = vg.Hook()\nhook.set_mode("global")\nm = xgb.train(params, d, 3, callbacks=[hook])\nend(m)')
    assert {s.mode for s in w.steps} == {3} and all("labels" in s.tensors for s in w.steps)


def test_estimators_are_copied_stored_and_searched_with_their_hook(watched):
    w = watched("""
import copy, pickle
import vigil.xgboost as vg
from sklearn.base import clone
from sklearn.model_selection import cross_val_score
hook = vg.Hook()
e = xgb.XGBClassifier(n_estimators=3, callbacks=[hook])
m = clone(e).fit(X, Y)
stored = pickle.loads(pickle.dumps(m))
assert isinstance(stored.callbacks[0], vg.Hook) and copy.deepcopy(hook) is hook
cross_val_score(e, X, Y, cv=3)
end(m.get_booster())
""")
    assert w.same and len(w.steps) == 3
    assert len(w.run.missing) == 3


def test_nothing_happens_when_vigil_is_off(tmp_path):
    text = """
import os, sys, numpy as np, xgboost as xgb
os.chdir(os.path.dirname(os.path.abspath(__file__)))  # a run would be made there
made = xgb.callback.CallbackContainer.__init__
import vigil.xgboost as vg
hook = vg.Hook(every=3, budget=0.1, rules="all")
x = np.random.rand(60, 2)
xgb.train({}, xgb.DMatrix(x, x[:, 0]), 2, callbacks=[hook])
with hook:
    hook.save_scalar("a", 1), hook.save_tensor("b", x), hook.set_mode("eval"), hook.collection("c", regex="d")
assert not hook.active and made is xgb.callback.CallbackContainer.__init__
assert "vigil._session" not in sys.modules and [k for k in os.environ if k.startswith("VIGIL")] == ["VIGIL"]
assert not os.path.exists("vigil-runs")
"""
    path = tmp_path / "s.py"
    path.write_text(text)
    done = collector.train([str(path)], env=collector.environment(VIGIL="0"))
    assert done.stderr == "", done.stderr
    assert os.listdir(str(tmp_path)) == ["s.py"]


FAULTS = """
import vigil._xgboost as v
from vigil._xgboost import saves, facts, metrics, booster
broken = sys.argv[1]
def fail(*args, **kwargs):
    raise RuntimeError("broken on purpose")
where = {"saves": saves.Trees, "facts": facts, "metrics": metrics, "booster": booster, "tracker": type(v.current())}[broken.split(".")[0]]
setattr(where, broken.split(".")[1], fail)
"""


def test_no_error_of_ours_reaches_the_training(tmp_path, sockdir):
    path = tmp_path / "s.py"
    names = ["saves._save", "saves.infos", "facts.gather", "metrics.last", "booster.importance", "booster.settings", "tracker.begins", "tracker.given",
             "tracker.joins", "tracker.round_begins", "tracker.round_ends", "tracker.ends", "tracker._first", "tracker._connect"]  # fmt: skip
    path.write_text(HEAD + """
digests = {}
for broken in %r:
    r, w = os.pipe()
    pid = os.fork()
    if pid == 0:
        sys.argv[1:] = [broken]
        exec(%r)
        d, v2 = pair(Y)
        m = xgb.train({"objective": "binary:logistic"}, d, 30, evals=[(v2, "test")], verbose_eval=False)
        os.write(w, hashlib.sha256(m.save_raw()).hexdigest().encode())
        sys.exit(0)
    _, status = os.waitpid(pid, 0)
    digests[broken] = os.read(r, 100).decode() if status == 0 else status
print(json.dumps(digests))
""" % (names, FAULTS))  # fmt: skip
    agent = collector.Collector(os.path.join(sockdir, "s"))
    try:
        done = collector.train([str(path)], env=collector.environment(VIGIL_SOCKET=agent.path))
    finally:
        agent.die()
    digests = json.loads(done.stdout.strip().splitlines()[-1])
    assert sorted(digests) == sorted(names)
    assert len(set(digests.values())) == 1 and len(set(digests.values()).pop()) == 64, (digests, done.stderr)
    assert "Traceback" not in done.stderr


def test_of_the_time_the_rounds_are_known(watched):
    w = watched(DATA + """
m = xgb.train(params, d, 3, evals=[(v, "test")])
m = xgb.train(params, d, 2, evals=[(v, "test")], xgb_model=m)
end(m)
""")  # fmt: skip
    assert w.same
    assert marks_in_words.of(w.run) == [word for n in range(5) for word in ("other(", "other)", "train %d" % n)]
