"""The process that runs one rule written in Python: ``python -m vigil._rule``.

It is started by the Go program, which feeds it complete steps on descriptor 3,
answers its questions on 5, and reads on 4 what it has to say. Descriptor 6
takes a stack when the process is asked where it hangs. Standard output and
error are the rule's own. What a rule does wrong ends this process with a
message that says where.
"""

import difflib
import importlib.util
import inspect
import json
import linecache
import os
import signal
import sys

from vigil import _frames
from vigil._steps import Steps
from vigil.exceptions import (
    InsufficientInformationForRuleInvocation,
    NoMoreData,
    RuleEvaluationConditionMet,
    ShapeUnavailableForStep,
    StepNotYetAvailable,
    StepUnavailable,
    TensorUnavailable,
    TensorUnavailableForStep,
)

STEPS, SAYS, ANSWERS, STACK = 3, 4, 5, 6

# Those of a step that lacks what the rule reads: it is passed over.
PASSED_OVER = {
    TensorUnavailable: "tensor_unavailable",
    TensorUnavailableForStep: "tensor_unavailable_for_step",
    StepUnavailable: "step_unavailable",
    StepNotYetAvailable: "step_not_yet_available",
    ShapeUnavailableForStep: "shape_unavailable_for_step",
    InsufficientInformationForRuleInvocation: "insufficient_information",
}


class Wrong(Exception):
    """The rule cannot be run; the text is for its author."""


class Feed(object):
    """What a Trial of this process reads: the steps that were fed."""

    grows = False  # not while the rule is asked

    def __init__(self):
        self.steps = Steps()
        self.touched = []  # names that were read at this step, each once
        self.reads = 0

    def refresh(self):
        pass

    def close(self):
        pass

    def read(self, name):
        self.reads += 1
        if name not in self.touched:
            self.touched.append(name)

    def ask(self, name, mode, mode_step, worker, stat=""):
        """The stored values of a tensor; None when they are not there any more. Other stats are not fed to rules."""
        if stat:
            return None
        _frames.write(SAYS, _frames.ASK, {"tensor": name, "mode": mode, "mode_step": mode_step, "worker": worker})
        return _frames.array(*_frames.read(ANSWERS))


def load(path, name, memory):
    """The class of a file."""
    file = os.path.basename(path)
    sys.path.insert(0, os.path.dirname(path))
    module_name = os.path.splitext(file)[0]
    if not module_name.isidentifier() or module_name in sys.modules:
        module_name = "vigil_rule_" + "".join(c if c.isalnum() else "_" for c in module_name)
    try:
        spec = importlib.util.spec_from_file_location(module_name, path)
        if spec is None:
            raise Wrong("%s is not a Python file: its name must end in .py" % file)
        module = importlib.util.module_from_spec(spec)
        sys.modules[module_name] = module
        spec.loader.exec_module(module)
    except ImportError as error:
        if "failed to map" in str(error) or "annot allocate memory" in str(error):
            raise Wrong("%s; its limit is %s of memory (max_memory)" % (tell(error, path), size_text(memory))) from error
        if getattr(error, "name", None) and error.name.split(".")[0] == "smdebug":
            hint = "rules written for smdebug run here when they import from vigil: from vigil.rules import Rule"
        else:
            hint = "the rule is run by %s: install it there, or name another interpreter with python:" % sys.executable
        raise Wrong("%s; %s" % (tell(error, path), hint)) from error
    found = getattr(module, name, None)
    if found is None:
        classes = [n for n, c in vars(module).items() if inspect.isclass(c) and c.__module__ == module_name]
        near = difflib.get_close_matches(name, classes, 1)
        known = "it has %s" % ", ".join(classes) if classes else "it has no class at all"
        raise Wrong("%s has no class %s%s (%s)" % (file, name, "; did you mean %s?" % near[0] if near else "", known))
    if not inspect.isclass(found) or not callable(getattr(found, "invoke_at_step", None)):
        raise Wrong("%s of %s is not a rule: a class with invoke_at_step(self, step) is needed, derived from vigil.rules.Rule" % (name, file))
    return found


def make(found, parameters, settings, trial, others):
    """The rule with its parameters, which come as text and get the type of their defaults.

    Of the settings that every rule in Python has it gets those that it has a
    parameter for.
    """
    from vigil.rules import Rule

    arguments = {}
    signature = inspect.signature(found.__init__)
    known = [p for p in list(signature.parameters.values())[1:] if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)]
    rest = any(p.kind == p.VAR_KEYWORD for p in signature.parameters.values())
    by_name = {p.name: p for p in known}
    own = [p.name for p in known if p.name not in ("base_trial", "action_str", "other_trials")]
    parameters = dict({k: v for k, v in settings.items() if k in own}, **parameters)
    for name, text in sorted(parameters.items()):
        p = by_name.get(name)
        if p is None and not rest or name in ("base_trial", "other_trials"):
            near = difflib.get_close_matches(name, own, 1)
            takes = "it takes %s" % ", ".join(own) if own else "it takes none"
            raise Wrong("%s has no parameter %s%s (%s)" % (found.__name__, name, "; did you mean %s?" % near[0] if near else "", takes))
        arguments[name] = typed(found, name, text, None if p is None else p.default)
    if "other_trials" in by_name or others:
        arguments["other_trials"] = others or None
    for p in known[1:]:
        if p.default is p.empty and p.name not in arguments:
            raise Wrong("%s needs the parameter %s: give it under parameters:" % (found.__name__, p.name))
    rule = found(trial, **arguments)
    if isinstance(rule, Rule) and not hasattr(rule, "req_tensors"):
        raise Wrong("%s.__init__ must call super().__init__(base_trial)" % found.__name__)
    if not isinstance(rule, Rule):
        raise Wrong("%s is not derived from vigil.rules.Rule: write class %s(Rule) and from vigil.rules import Rule" % ((found.__name__,) * 2))
    rule.report["RuleParameters"] = "\n".join("%s:%s" % item for item in sorted(parameters.items()))
    return rule


def typed(found, name, text, default):
    """The value of a parameter: a number or truth value where the default is one, else the text."""
    try:
        if isinstance(default, bool):
            return {"true": True, "1": True, "yes": True, "false": False, "0": False, "no": False}[text.strip().lower()]
        if isinstance(default, int):
            value = float(text)
            return int(value) if value == int(value) and "." not in text and "e" not in text.lower() else value
        if isinstance(default, float):
            return float(text)
    except (KeyError, ValueError, OverflowError):
        kind = "true or false" if isinstance(default, bool) else "a number"
        raise Wrong("parameter %s of %s is %s, not %r" % (name, found.__name__, kind, text)) from None
    if isinstance(default, (list, tuple)):
        return type(default)(json.loads(text)) if text.lstrip().startswith("[") else type(default)(t.strip() for t in text.split(","))
    return text


def tell(error, source):
    """What went wrong, and where: the last line of the traceback, and the place in the rule's own file, or else the last one."""
    kind = type(error).__name__
    if isinstance(error, SyntaxError) and error.filename:
        text = "%s: %s" % (kind, error.msg)
        line = (error.text or "").strip()
        return "%s:%s: %s%s" % (os.path.basename(error.filename), error.lineno, text, ": " + line if line else "")
    words = str(error).strip().splitlines()
    text = "%s: %s" % (kind, words[0]) if words else kind
    place = last = None
    trace = error.__traceback__
    while trace is not None:
        code = trace.tb_frame.f_code
        last = (code.co_filename, trace.tb_lineno, code.co_name)
        if same(code.co_filename, source):
            place = last
        trace = trace.tb_next
    place = place or last
    if place is None:
        return text
    line = linecache.getline(place[0], place[1]).strip()
    where = "" if place[2] == "<module>" else ", in " + place[2]
    return "%s:%d%s: %s%s" % (os.path.basename(place[0]), place[1], where, text, " (%s)" % line[:200] if line else "")


def same(a, b):
    return a == b or os.path.basename(a) == os.path.basename(b) and os.path.realpath(a) == os.path.realpath(b)


def limit(size):
    """Let the process have no more than size bytes of memory beyond what it has now.

    Where the system can, private writable memory alone is counted: libraries
    that are mapped from their files take none.
    """
    try:
        import resource
    except ImportError:
        return
    held, which = 0, resource.RLIMIT_AS
    try:
        with open("/proc/self/status") as f:
            held = sum(int(line.split()[1]) << 10 for line in f if line.startswith("VmData:"))
        which = resource.RLIMIT_DATA
    except OSError:
        pass
    _, hard = resource.getrlimit(which)
    most = held + size
    if hard != resource.RLIM_INFINITY:
        most = min(most, hard)
    resource.setrlimit(which, (most, hard))


class Worker(object):
    """The life of one rule."""

    def __init__(self):
        self.feed = Feed()
        self.source = ""
        self.rule = None
        self.memory = 0
        self.reserve = bytearray(1 << 20)  # let go when memory has run out, so that there is some to say so

    def run(self):
        what = "start"
        try:
            kind, payload = _frames.read(STEPS)
            if kind != _frames.CONFIG:
                raise Wrong("the first frame is %r" % kind)
            self.start(json.loads(bytes(payload)))
            what = "step"
            self.steps()
        except _frames.Closed:
            return 1  # nobody is left to tell
        except BaseException as error:  # SystemExit and KeyboardInterrupt of the rule, too
            self.fail(error, what)
            return 1
        return 0

    def fail(self, error, what):
        self.reserve = None
        if isinstance(error, Wrong):
            text = str(error)
        elif isinstance(error, MemoryError):
            place = tell(error, self.source).split(": MemoryError")[0].split(": _ArrayMemoryError")[0]
            text = "%s: it needs more than its limit of %s of memory (max_memory)" % (place, size_text(self.memory))
        elif isinstance(error, SystemExit):
            text = tell(error, self.source) + "; a rule must not end its process"
        else:
            text = tell(error, self.source)
        _frames.write(SAYS, _frames.FAILED, {"what": what, "error": text[:4000]})

    def start(self, config):
        self.source, self.memory = config["source"], config["max_memory"]
        try:
            import numpy  # noqa: F401  it is not to count, nor to fail for want of memory
        except ImportError:
            pass
        from vigil import rules, trial

        limit(self.memory)
        found = load(self.source, config["class"], self.memory)
        rules.Rule._folder = config.get("folder") or None
        base = trial.Trial(self.feed, config["path"], config["run"])
        others = [trial.create_trial(p) for p in config["other_trials"]]
        self.rule = make(found, config["parameters"], config["settings"], base, others)
        _frames.write(SAYS, _frames.HELLO, {"python": sys.executable})

    def steps(self):
        """Judge step after step until the end is said."""
        while True:
            kind, payload = _frames.read(STEPS)
            if kind == _frames.NAMES:
                self.feed.steps.announce(json.loads(bytes(payload)))
            elif kind == _frames.STEP:
                header, block = _frames.split(payload)
                self.feed.steps.add(header, block)
                if not self.step(header["step"]):
                    return
            elif kind == _frames.END:
                self.end(json.loads(bytes(payload)))
                return
            else:
                raise Wrong("a frame is %r" % kind)

    def step(self, step):
        """Judge a step and say so; False when the rule has nothing more to judge."""
        from vigil import rules

        rule, feed = self.rule, self.feed
        del feed.touched[:]
        feed.reads = 0
        before = rule.report.get("Datapoints") if isinstance(rule.report, dict) else None
        out = {"step": step}
        fired = over = False
        try:
            fired = rules.judge(rule, step)
        except tuple(PASSED_OVER) as missing:
            out["skip"] = PASSED_OVER[type(missing)] if type(missing) in PASSED_OVER else "tensor_unavailable"
            out["why"] = str(missing)[:1000]
        except RuleEvaluationConditionMet as met:
            fired, over = True, met.end_of_rule
        except NoMoreData:
            over = True
        self.tell(out, fired)
        after = rule.report.get("Datapoints") if isinstance(rule.report, dict) else None
        counted = isinstance(before, int) and isinstance(after, int) and after > before
        out["datapoints"] = after - before if counted else feed.reads
        out["over"] = over
        _frames.write(SAYS, _frames.DONE, out)
        return not over

    def tell(self, out, fired):
        """Put into out what the rule has found and noted."""
        from vigil import rules

        rule = self.rule
        found = [f.fields for f in rule._findings]
        if fired and not found:
            touched = self.feed.touched
            found = [{"check": "condition", "subject": touched[0] if len(touched) == 1 else ""}]
            details = rule.report.get("Details") if isinstance(rule.report, dict) else None
            if details:
                found[0]["context"] = {"details": rules.plain(details)}
        out["findings"] = found
        out["notes"], rule._notes = rule._notes, []
        rule._findings = []

    def end(self, ended):
        """The job is over: the rule may have a last word."""
        self.feed.steps.ended = ended.get("status")
        out = {"step": self.feed.steps.last}
        finish = getattr(self.rule, "finish", None)
        if callable(finish):
            finish()
        self.tell(out, False)
        _frames.write(SAYS, _frames.BYE, out)


def size_text(n):
    for unit, factor in (("GB", 1e9), ("MB", 1e6), ("KB", 1e3)):
        if n >= factor:
            return "%g%s" % (n / factor, unit)
    return "%dB" % n


def main():
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        import faulthandler

        faulthandler.register(signal.SIGUSR1, file=STACK, all_threads=True)
    except (AttributeError, ImportError, OSError, ValueError):
        pass
    code = Worker().run()
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except Exception:
            pass
    os._exit(code)  # threads that the rule has left must not keep us


if __name__ == "__main__":
    main()
