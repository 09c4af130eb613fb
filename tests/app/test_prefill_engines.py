"""Several engines on the page: a server named at the start, its key, and what is said when it fails."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from streamlit.testing.v1 import AppTest

from core.backends.engines.comparison import Plan
from tests.app.test_prefill import finish, model_file, state_of, tiny
from tests.app.visit import press, texts
from tests.unit.core.backends.fake_server import fake_server
from ui.prefill import servers
from ui.prefill.experiments import as_csv, as_json
from ui.prefill.models import OWN, Choice

__all__ = ["model_file", "tiny"]  # fixtures
SECRET = "sk-very-secret"


@pytest.fixture(autouse=True)
def little(monkeypatch: pytest.MonkeyPatch) -> None:
    """Few and short prompts, and no llama.cpp, whether it is installed or not."""
    plan = Plan(total=64, fractions=(0.0, 0.75), users=(1, 2), rounds=1)
    monkeypatch.setattr(servers, "plan_for", lambda _parameters: plan)
    monkeypatch.setattr(servers, "llama_available", lambda: False)


def measured(tiny: Callable[[str], AppTest]) -> AppTest:
    return finish(press(tiny("engines"), "prefill_measure_engines"))


def test_a_named_server_is_measured_and_its_key_stays_here(
    tiny: Callable[[str], AppTest], monkeypatch: pytest.MonkeyPatch
) -> None:
    with fake_server() as server:
        monkeypatch.setenv(servers.SERVER, server.url)
        monkeypatch.setenv(servers.KEY, SECRET)
        at = measured(tiny)
        assert f"Bearer {SECRET}" in server.keys
        report = state_of(at).results["engines", Choice("numpy", OWN)]
        told = f"{texts(at)} {as_json(report)} {as_csv(report)}"
        assert "fakery" in told
        assert SECRET not in told
        assert server.url.removeprefix("http://") not in told


@pytest.mark.parametrize(("wrong", "said"), [("401", "refuses the key"), ("html", "OpenAI")])
def test_a_server_that_fails_is_said_and_ours_is_measured(
    tiny: Callable[[str], AppTest], monkeypatch: pytest.MonkeyPatch, wrong: str, said: str
) -> None:
    with fake_server(wrong=wrong) as server:
        monkeypatch.setenv(servers.SERVER, server.url)
        monkeypatch.setenv(servers.KEY, SECRET)
        at = measured(tiny)
    assert any(said in one.value for one in at.warning)
    assert {row["engine"] for row in state_of(at).results["engines", Choice("numpy", OWN)].rows} == {
        "Broth (numpy)"
    }
    assert SECRET not in texts(at)


def test_an_address_that_is_none_is_said(
    tiny: Callable[[str], AppTest], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(servers.SERVER, f"http://me:{SECRET}@host")
    at = measured(tiny)
    assert any("BROTH_SERVER" in one.value or "BROTH\\_SERVER" in one.value for one in at.warning)
    assert SECRET not in texts(at)
