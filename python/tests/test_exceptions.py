"""What a script for smdebug catches is what is raised, and a person reads no name of smdebug that did not write one."""

import inspect

import pytest

from vigil import exceptions


@pytest.mark.parametrize(
    "old, new, builtin",
    [
        ("SMDebugError", "VigilError", Exception),
        ("SMDebugCustomerError", "CallerError", Exception),
        ("SMDebugTypeError", "InvalidType", TypeError),
        ("SMDebugRuntimeError", "NotPossible", RuntimeError),
        ("SMDebugNotImplementedError", "NotSupported", NotImplementedError),
        ("SMDebugValueError", "InvalidValue", ValueError),
    ],
)
def test_names_of_smdebug_are_other_names_of_the_same(old, new, builtin):
    assert getattr(exceptions, old) is getattr(exceptions, new)
    assert issubclass(getattr(exceptions, new), builtin)


def test_no_exception_is_called_after_smdebug():
    for name, found in inspect.getmembers(exceptions, inspect.isclass):
        assert "SMDebug" not in found.__name__, name
        assert issubclass(found, exceptions.VigilError)


def test_a_wrong_finding_is_refused_in_plain_words():
    from vigil.rules import Finding

    with pytest.raises(exceptions.SMDebugValueError) as refused:
        Finding(severity="fatal")
    assert type(refused.value).__name__ == "InvalidValue"
