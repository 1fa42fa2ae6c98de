"""Holds Python's collector of cycles while much of ours is made at once.

What is announced of a model of many parts are some objects for each. Made one
after the other they have the collector look through all that the script made
as well, again and again, and find nothing.
"""

import contextlib
import gc


@contextlib.contextmanager
def calm():
    """No collection begins inside, unless somebody asks for one. As it was afterwards."""
    on = gc.isenabled()
    if on:
        gc.disable()
    try:
        yield
    finally:
        if on:
            gc.enable()
