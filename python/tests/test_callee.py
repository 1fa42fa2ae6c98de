"""Which function an instruction calls, as far as the names before it say."""

import dis

import pytest

from vigil import _callee

CALLS = {  # an expression: what its calls call, in their order
    "torch.tensor(s)": ["torch.tensor"],
    "torch.tensor(s, dtype=torch.float32)": ["torch.tensor"],
    "(torch.tensor(s), torch.tensor(a))": ["torch.tensor", "torch.tensor"],
    "f(g(h(1), 2), u=v(3))": ["h", "g", "v", "f"],
    "self.rows.append(np.array(x, 'f'))": ["np.array", "self.rows.append"],
    "f()(3)": ["f", ""],
    "x[0].tensor(s)": ["tensor"],
}


def called(text, file):
    code = compile("def f(self):\n    return " + text, file, "exec").co_consts[0]
    each = [i.offset for i in dis.get_instructions(code) if i.opname in ("CALL", "CALL_FUNCTION", "CALL_FUNCTION_KW", "CALL_KW", "CALL_METHOD")]
    return [_callee.Callees().of(code, at) for at in each]


@pytest.mark.parametrize("text", CALLS)
def test_calls(text):
    assert called(text, "/home/me/train.py") == CALLS[text]


def test_a_list_that_is_made_on_the_way():
    """The loop of a comprehension lies between the function and its call, where it is not a function of its own."""
    assert called("torch.tensor([x for x in xs if x])", "/home/me/train.py")[-1] == "torch.tensor"


def test_a_choice_on_the_way():
    assert set(called("torch.tensor(a if b else c)", "/home/me/train.py")) == {""}


def test_code_of_libraries_is_not_looked_at():
    assert called("torch.tensor(s)", "/venv/lib/python3.12/site-packages/one/two.py") == [""]
