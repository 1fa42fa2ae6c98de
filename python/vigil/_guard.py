"""The wall between our errors and the user's training."""


def guard(fn):
    """Decorate an entry point: no Exception leaves it (strict mode excepted). It then returns None."""
    return fn


def failed(where, error):
    """Report an error caught at ``where``; in strict mode raise it again."""
