"""How this process ended, as far as Python tells at its exit."""

import sys

MOST_TEXT = 256 << 10  # characters of a traceback


def error():
    """The exception that nobody caught and that ends this process, or None. Python keeps the last one; at a prompt it ends nothing."""
    if hasattr(sys, "ps1"):
        return None
    return getattr(sys, "last_value", None)


def traceback_text():
    """Its traceback as Python prints it; "" when there is none."""
    found = error()
    if found is None:
        return ""
    import traceback

    trace = getattr(sys, "last_traceback", None) or found.__traceback__
    text = "".join(traceback.format_exception(type(found), found, trace))
    if len(text) > MOST_TEXT:
        text = text[: MOST_TEXT // 4] + "\n[...]\n" + text[-MOST_TEXT * 3 // 4 :]
    return text
