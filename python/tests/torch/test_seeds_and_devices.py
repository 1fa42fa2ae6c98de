"""Seeds, devices and determinism are read of PyTorch, and nothing is changed by reading."""

import pytest
import torch

from vigil._torch import provenance


@pytest.fixture(autouse=True)
def random_state():
    state = torch.get_rng_state()
    yield
    torch.set_rng_state(state)


@pytest.mark.parametrize("seed", [0, 42, (1 << 40) + 5])
def test_a_seed_that_was_set_is_known(seed):
    torch.seed()  # as PyTorch draws one when it is imported
    provenance.imported()
    assert "seeds" not in provenance.of_torch([])
    torch.manual_seed(seed)
    torch.rand(3)
    assert provenance.of_torch([])["seeds"] == {"torch": seed}


def test_a_seed_that_was_set_before_the_hook_came_is_known():
    torch.manual_seed(7)
    provenance.imported()
    assert provenance.of_torch([])["seeds"] == {"torch": 7}


def test_lightning_tells_its_seed(monkeypatch):
    torch.manual_seed(7)
    monkeypatch.setenv("PL_GLOBAL_SEED", "7")
    assert provenance.of_torch([])["seeds"] == {"torch": 7, "lightning": 7}


def test_devices_are_those_of_the_weights():
    weights = [torch.nn.Parameter(torch.zeros(2)), torch.nn.Parameter(torch.zeros(3)), torch.nn.Parameter(torch.zeros(2, device="meta"))]
    assert provenance.of_torch(weights)["devices"] == [{"type": "cpu", "index": 0}, {"type": "meta", "index": 0}]


def test_reading_changes_nothing():
    torch.manual_seed(3)
    before = torch.get_rng_state()
    provenance.imported()
    said = provenance.of_torch([torch.nn.Parameter(torch.zeros(2))])
    assert torch.equal(before, torch.get_rng_state())
    assert not torch.cuda.is_initialized()
    assert said["deterministic"] is False
