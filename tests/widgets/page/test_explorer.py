"""The Explorer without a browser: it answers to its controls, says what is wrong, never loses the picture."""

import threading
import time
from unittest.mock import MagicMock

import pytest
from polyak_widgets import Explorer, Settings
from polyak_widgets.laboratory.budget import Budget
from polyak_widgets.laboratory.experiment import run_experiment
from polyak_widgets.page.widgets import Wire
from polyak_widgets.session import session as module
from polyak_widgets.session.rail import rail
from polyak_widgets.session.worker import LatestWins
from polyak_widgets.settings.choices import PROBLEMS
from polyak_widgets.settings.view import View

PATIENCE = 30


@pytest.fixture
def explorer():
    page = Explorer(Settings(iterations=300, methods=("apg", "adapt_apg_v2", "restart")))
    assert page.wait(PATIENCE)
    yield page
    page.close()


def change(explorer, **values):
    explorer.controls.value = explorer.controls.value | values
    assert explorer.wait(PATIENCE)


def test_a_change_brings_a_new_settled_frame(explorer):
    before = explorer.stage.frame["serial"]
    change(explorer, gamma=5.0)
    assert explorer.stage.frame["serial"] > before
    assert explorer.stage.frame["settled"]
    assert "γ = 5" in str(explorer.stage.frame["rows"])
    assert explorer.settings.gamma == 5.0


@pytest.mark.parametrize(
    ("name", "value"),
    [("condition_number", 0.5), ("mu0", 2), ("gamma", "x"), ("iterations", 10**9), ("methods", ["?"])],
)
def test_a_bad_value_is_said_and_the_last_good_picture_stays(explorer, name, value):
    picture = {key: explorer.stage.frame[key] for key in ("data", "panels")}
    change(explorer, **{name: value})
    assert explorer.stage.status["kind"] == "error"
    assert explorer.controls.problems == {name: explorer.stage.status["text"]}
    assert {key: explorer.stage.frame[key] for key in picture} == picture
    change(explorer, **{name: getattr(explorer.settings, name)})
    assert explorer.stage.status["kind"] == "done"
    assert explorer.controls.problems == {}


def test_a_refused_number_is_told_from_the_one_that_the_picture_shows(explorer):
    change(explorer, gamma=5.0)
    change(explorer, gamma="1e13")
    words = explorer.controls.problems["gamma"]
    assert words.endswith("The picture still shows Restart γ = 5.")
    assert explorer.stage.status == {"kind": "error", "text": words}
    change(explorer, gamma="2,5")
    assert (explorer.settings.gamma, explorer.controls.problems) == (2.5, {})


def test_what_the_work_tells_waits_while_a_message_is_taken(explorer):
    """The message comes in the middle of what the work tells: neither is lost, and each is whole."""
    controls, entered, states, value = explorer.controls, threading.Event(), [], {}
    worker = threading.Thread(target=lambda: (entered.set(), controls.show("problems", {"gamma": "late"})))

    class Slow(dict):
        """Compared while the message is taken: in the middle of it the work has something to tell."""

        def __eq__(self, other):
            if value and not entered.is_set():
                worker.start()
                assert entered.wait(PATIENCE)
                worker.join(0.05)
                states.append(controls.problems)
            return dict.__eq__(self, other)

        __hash__ = None

    controls.set_trait("value", Slow(controls.value))
    controls.observe(lambda change: states.append(change.new), ["value", "problems"])
    value |= {**controls.value, "gamma": 7.0}
    controls.set_state({"value": value})
    worker.join()
    assert states[:3] == [{}, value, {"gamma": "late"}]
    assert explorer.wait(PATIENCE)
    assert explorer.settings.gamma == 7.0


def test_a_spectrum_out_of_scale_is_said(explorer):
    change(explorer, spectrum="own", eigenvalues="1e200 1")
    assert explorer.stage.status["kind"] == "error"
    assert explorer.stage.status["text"].startswith("L = 10²⁰⁰ is not allowed: it must be from 10⁻¹⁵⁰")
    assert explorer.settings.spectrum == "log"


def test_what_does_not_apply_is_hidden(explorer):
    def hidden():
        return {f["name"] for group in explorer.controls.spec for f in group["fields"] if f["hidden"]}

    of_data = {"problem", "data", "scaling", "rows"}
    of_spectra = {"spectrum", "condition_number", "n"}
    others = {"lam", "C", "svm_loss", "kernel", "width", "f_star_delta", "guard", "seed", "eigenvalues"}
    assert hidden() == of_data | others
    change(explorer, problem="least_squares")
    assert hidden() == of_spectra | others | {"rows"}
    change(explorer, data="synthetic", f_star="too_low")
    assert hidden() == others - {"f_star_delta", "seed"}
    change(explorer, problem="quadratic", spectrum="own", start="gaussian", f_star="exact")
    assert hidden() == of_data | others - {"seed", "eigenvalues"} | {"condition_number", "n"}
    change(explorer, problem="svm_dual", data="sonar", kernel="rbf")
    assert hidden() == of_spectra | {"rows", "lam", "f_star_delta", "guard", "eigenvalues"}


def test_what_has_no_effect_says_why(explorer):
    fields = {f["name"]: f for group in explorer.controls.spec for f in group["fields"]}
    assert "AdaptAPG" in fields["mu0"]["disabled"]
    assert fields["gamma"]["disabled"] == ""


def test_the_landmark_of_mu_follows_the_problem(explorer):
    change(explorer, condition_number=1e3)
    fields = {f["name"]: f for group in explorer.controls.spec for f in group["fields"]}
    assert [1e-3, "μ"] in fields["mu0"]["landmarks"]
    change(explorer, spectrum="own", eigenvalues="1 0.1 0")
    fields = {f["name"]: f for group in explorer.controls.spec for f in group["fields"]}
    assert fields["mu0"]["landmarks"] == [[0.5, "L/2"]], "μ = 0 is no place on a logarithmic slider"


def test_the_newest_setting_wins(explorer):
    for gamma in (1.0, 2.0, 3.0, 4.0, 5.0):
        explorer.controls.value = explorer.controls.value | {"gamma": gamma}
    assert explorer.wait(PATIENCE)
    assert explorer.settings.gamma == 5.0
    assert "γ = 5" in str(explorer.stage.frame["rows"])


def test_a_fault_of_the_page_is_said_and_the_page_lives_on(explorer, monkeypatch):
    def broken(*_, **__):
        raise RuntimeError("a wheel came off")

    monkeypatch.setattr(module, "make_frame", broken)
    change(explorer, gamma=3.0)
    assert explorer.stage.status["kind"] == "error"
    assert "a wheel came off" in explorer.stage.status["text"]
    monkeypatch.undo()
    change(explorer, gamma=4.0)
    assert explorer.stage.status["kind"] == "done"


def test_panels_are_chosen_by_name():
    with pytest.raises(ValueError, match="'gap', 'mu'"):
        Explorer(show=("gapp",))
    with pytest.raises(ValueError, match="choose one or more"):
        Explorer(show=())
    one = Explorer(Settings(iterations=10), show=("mu",))
    assert one.wait(PATIENCE)
    assert [panel["name"] for panel in one.stage.frame["panels"]] == ["mu"]
    one.close()


def test_a_stale_job_is_left_for_the_newest():
    begun, requests = threading.Event(), []

    def work(request, stale):
        requests.append(request)
        begun.set()
        while request == "long" and not stale():
            yield False

    worker = LatestWins(work, requests.append)
    worker.submit("long")
    assert begun.wait(PATIENCE)
    for request in ("skipped", "last"):
        worker.submit(request)
    assert worker.wait(PATIENCE)
    assert requests[0] == "long"
    assert requests[-1] == "last"
    worker.close()


def test_a_closed_worker_ends_its_thread():
    worker = LatestWins(lambda request, stale: iter(()), lambda error: None)
    worker.close()
    worker.thread.join(PATIENCE)
    assert not worker.thread.is_alive()


def press(explorer, name, **more):
    """As the front end does it."""
    explorer.stage._handle_custom_msg({"do": name, **more}, [])


def test_a_choice_of_the_closer_look_is_shared_without_another_frame(explorer, monkeypatch):
    sent, frame = [], explorer.stage.frame
    monkeypatch.setattr(explorer.stage, "send", lambda content, buffers: sent.append(content))
    explorer.stage.view = explorer.stage.view | {"third": "path", "plane": "slow"}
    assert explorer.wait(PATIENCE)
    assert explorer.stage.frame is frame
    (message,) = sent
    assert message["serial"] == frame["serial"]
    assert message["share"] == frame["share"]
    assert message["share"]["query"].endswith("&third=path&plane=slow")
    explorer.session.ask()
    assert explorer.wait(PATIENCE)
    assert len(sent) == 1


def test_a_view_and_a_pin_go_with_a_bad_setting(explorer):
    change(explorer, gamma=-1)
    explorer.stage.view = explorer.stage.view | {"bounds": True, "third": "momentum"}
    assert explorer.wait(PATIENCE)
    assert explorer.view == View(bounds=True, third="momentum")
    assert explorer.stage.frame["panels"][0]["lines"]
    assert explorer.stage.frame["share"]["query"].endswith("restart&third=momentum&bounds=on")
    press(explorer, "pin")
    assert explorer.wait(PATIENCE)
    assert explorer.stage.frame["pins"]
    assert explorer.stage.status["kind"] == "error"
    assert explorer.controls.problems == {"gamma": explorer.stage.status["text"]}
    end = time.monotonic() + PATIENCE
    while explorer.stage.third.get("panel", {}).get("kind") != "momentum" and time.monotonic() < end:
        time.sleep(0.001)
    assert explorer.stage.third["settled"]


def test_reset_brings_the_first_settings_back():
    for first in (Settings(iterations=50, methods=("pgd",)), Settings()):
        explorer = Explorer(first, show=("gap",))
        change(explorer, gamma=7.0, iterations=40)
        assert explorer.settings != first
        press(explorer, "reset")
        assert explorer.wait(PATIENCE)
        assert explorer.settings == first
        explorer.close()


def test_reset_takes_back_what_was_chosen_of_the_axes_and_no_more(explorer):
    first = explorer.stage.view
    axes = {"x": "gradients", "bounds": True, "differences": True, "other_scales": ["gap-y"]}
    drawn = explorer.stage.frame["serial"]
    explorer.stage.view = first | {"other_scales": ["gap-y"]}
    assert explorer.wait(PATIENCE)
    assert explorer.stage.frame["serial"] == drawn, "the page switches a scale by itself"
    assert "other_scales=gap-y" in explorer.stage.frame["share"]["query"]
    explorer.stage.view = first | axes | {"third": "momentum", "present": True}
    assert explorer.wait(PATIENCE)
    press(explorer, "reset")
    assert explorer.wait(PATIENCE)
    assert explorer.stage.view == first | {"third": "momentum", "present": True}
    assert (
        explorer.stage.frame["share"]["query"]
        == "v=1&iterations=300&methods=apg,adapt_apg_v2,restart&third=momentum"
    )


@pytest.mark.parametrize(
    "query", ["problem=logistic&data=own", "problem=svm_dual&kernel=rbf&data=synthetic&rows=100000&n=20"]
)
def test_a_link_to_what_is_not_to_be_had_opens_the_picture_before(explorer, query):
    press(explorer, "open", query=query)
    assert explorer.wait(PATIENCE)
    assert explorer.stage.frame["opened"] == explorer.stage.opened == query, "else the page draws nothing"
    assert explorer.stage.frame["settled"]
    assert explorer.stage.status["kind"] == "error"
    assert explorer.controls.problems


def test_a_link_whose_minimum_is_not_found_in_time_opens_the_picture_before():
    explorer = Explorer(Settings(iterations=50, methods=("pgd",)), budget=Budget(seconds=1e-3, megabytes=500))
    assert explorer.wait(PATIENCE)
    press(explorer, "open", query="problem=logistic&data=musk")
    assert explorer.wait(PATIENCE)
    assert explorer.stage.frame["opened"] == "problem=logistic&data=musk"
    assert "has used up its" in explorer.stage.status["text"]
    explorer.close()


def test_the_closer_look_goes_on_where_something_else_is_refused():
    explorer = Explorer(Settings(iterations=500, methods=("restart",)))
    assert explorer.wait(PATIENCE)
    change(explorer, problem="logistic", data="own")
    assert explorer.stage.status["kind"] == "error"
    rail, end = explorer.controls.spec, time.monotonic() + PATIENCE
    while not explorer.stage.third.get("settled") and time.monotonic() < end:
        time.sleep(0.01)
    assert explorer.stage.third["settled"]
    assert explorer.controls.spec == rail, "it stays that of the problem that was chosen"
    explorer.close()


def test_a_story_told_on_a_projector_stays_there(explorer):
    explorer.stage.view = explorer.stage.view | {"present": True}
    assert explorer.wait(PATIENCE)
    for content in ({"do": "story", "name": "wrong_L"}, {"do": "predict", "value": "bounces"}):
        explorer.stage._handle_custom_msg(content, [])
        assert explorer.wait(PATIENCE)
        assert explorer.view.present
    assert explorer.stage.story["stage"] == "revealed"


@pytest.mark.parametrize("content", [{"do": "explode"}, {"do": 7}, {}, "cancel", None])
def test_an_unknown_button_is_refused_in_words(content):
    explorer = Explorer(Settings(iterations=50, methods=("pgd",)))
    assert explorer.wait(20)
    explorer.stage._handle_custom_msg(content, [])
    assert explorer.stage.status["kind"] == "error"
    assert "does not know" in explorer.stage.status["text"]
    explorer.close()


@pytest.mark.parametrize("view", [{"x": "miles"}, {"bounds": 1}, {"unknown": True}])
def test_a_wrong_view_is_refused_and_the_picture_stays(view):
    explorer = Explorer(Settings(iterations=50, methods=("pgd",)))
    assert explorer.wait(20)
    before = explorer.stage.frame
    explorer.stage.view = explorer.stage.view | view
    assert explorer.wait(20)
    assert explorer.stage.status["kind"] == "error"
    assert explorer.stage.frame is before
    assert explorer.view == View()
    explorer.close()


def test_a_page_with_few_controls_has_these_alone():
    page = Explorer(
        Settings(methods=("apg", "pgd")), show=("gap",), controls=("condition_number", "iterations")
    )
    try:
        assert page.wait(60)
        (group,) = page.controls.spec
        assert [field["name"] for field in group["fields"]] == ["condition_number", "iterations"]
        assert not group["folded"]
        assert page.controls.presets == []
        assert page.controls.guide["intro"] == ""
        assert page.stage.stories == []
        page.controls.value = page.controls.value | {"condition_number": 100.0}
        assert page.wait(60)
        assert page.settings.condition_number == 100
        assert page.experiment.settings.condition_number == 100
    finally:
        page.close()


@pytest.mark.parametrize("controls", ["gamma", (), ("gamma", "speed")])
def test_controls_that_are_none_are_refused(controls):
    with pytest.raises(ValueError, match=r"control.*gamma"):
        Explorer(controls=controls)


def test_a_rail_of_few_controls_leads_to_every_problem():
    """It has no menu of presets, so the field of the problem must not hide where the problem has no data."""
    (group,) = rail(Settings(), run_experiment(Settings(iterations=1)).problem, only=("problem", "lam"))
    field = group["fields"][0]
    assert not field["hidden"]
    assert [value for value, *_ in field["options"]] == list(PROBLEMS)
    assert group["fields"][1]["hidden"], "λ has no part in a quadratic"


def test_a_part_that_is_written_while_others_are_repeated_is_the_newer_one(monkeypatch):
    """On a busy server a page kept an empty address, and waited for its own for ever."""
    wire = Wire(module.Session().state)
    stage, writers = wire.stage, []

    def state(key=None, drop_defaults=False):
        parts = {"opened": stage.opened}
        if not writers:  # while these are on their way, the other thread writes
            writers.append(threading.Thread(target=wire.show, args=("opened", "v=1")))
            writers[0].start()
            writers[0].join(0.2)
        return parts

    monkeypatch.setattr(stage, "get_state", state)
    stage.comm = MagicMock()
    wire.repeat({"opened"})
    writers[0].join()
    assert [call.kwargs["data"]["state"]["opened"] for call in stage.comm.send.call_args_list] == ["", "v=1"]
