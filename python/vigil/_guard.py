"""The wall between our errors and the user's training.

Every function that the script or a framework calls is decorated with
``guard``: an Exception inside becomes a line in the run instead of an error in
training. The first one is said once; after ``LIMIT`` of them everything goes
inert, because what fails that often does more harm than good. In strict mode
(VIGIL_STRICT=1, for tests) errors raise. KeyboardInterrupt and SystemExit are
the user's and always pass.
"""

import os

LIMIT = 20

strict = os.environ.get("VIGIL_STRICT") == "1"
inert = False
errors = 0

_reporters = []  # functions (text, where) that carry an error to the run


def guard(fn):
    """Decorate an entry point: no Exception leaves it (strict mode excepted); the result is then None."""

    def guarded(*args, **kwargs):
        if inert:
            return None
        try:
            return fn(*args, **kwargs)
        except Exception as error:
            failed(getattr(fn, "__qualname__", "?"), error)
        return None

    # What functools.wraps would do; importing functools takes longer than all of the zero-line start.
    for name in ("__module__", "__name__", "__qualname__", "__doc__"):
        try:
            setattr(guarded, name, getattr(fn, name))
        except AttributeError:
            pass
    guarded.__wrapped__ = fn
    return guarded


def failed(where, error):
    """Report an error that was caught in the function ``where``; raise it again in strict mode."""
    if strict:
        raise error
    try:
        _report(where, error)
    except Exception:
        pass  # what cannot be reported must not disturb either


def background(where, error):
    """Report an error of one of our own threads, above which there is nobody to raise it to."""
    if strict:
        import sys
        import traceback

        try:
            sys.stderr.write("vigil: %s failed in the background\n" % where)
            traceback.print_exception(type(error), error, error.__traceback__)
        except Exception:
            pass
        return
    failed(where, error)


def _report(where, error):
    global errors, inert
    errors += 1
    if errors == 1:
        text = "capture failed in %s: %s: %s%s" % (where, type(error).__name__, error, _place(error))
        if not _tell(text):
            import sys

            sys.stderr.write("vigil: %s; training continues\n" % text)
    elif errors >= LIMIT and not inert:
        _tell("capture stopped after %d errors, the last in %s: %s: %s" % (errors, where, type(error).__name__, error))
        inert = True
        for _, stop in list(_reporters):
            try:
                stop()
            except Exception:
                pass


def _place(error):
    """Where in our code it happened: " (file.py:12)"."""
    trace = error.__traceback__
    if trace is None:
        return ""
    while trace.tb_next is not None:
        trace = trace.tb_next
    return " (%s:%d)" % (os.path.basename(trace.tb_frame.f_code.co_filename), trace.tb_lineno)


def _tell(text):
    told = False
    for tell, _ in list(_reporters):
        try:
            told = tell(text) or told
        except Exception:
            pass
    return told


def reporter(tell, stop):
    """Register how errors reach the run: tell(text) -> whether it was told, and stop() when everything goes inert."""
    _reporters.append((tell, stop))


def forget(tell):
    """Take a reporter out again."""
    _reporters[:] = [r for r in _reporters if r[0] != tell]
