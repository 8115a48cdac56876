"""What a page keeps comes back to a new session: its newest settings, pins and files; and what it undoes."""

import pytest
from polyak_widgets.session.session import Session
from polyak_widgets.session.slices import Slices
from polyak_widgets.settings.settings import Settings
from polyak_widgets.settings.view import View

FIRST = Settings(iterations=60, n=20, condition_number=10.0, methods=("adapt_apg_v2", "restart"))
FILE = b"a,b,y\n" + b"".join(b"%d,%d,%d\n" % (i, i * i % 7, i % 2) for i in range(12))


class Reader:
    """One page without a browser."""

    def __init__(self):
        self.session = Session(FIRST)
        self.slices = Slices(self.session.work, self.session.report)
        self.sent, self.state = [], self.session.state
        self.session.start(self, self.slices.submit)
        self.settle()

    def show(self, name, value):
        """Its state is the session's."""

    def repeat(self, names):
        """It misses nothing."""

    def send(self, content, buffers=()):
        self.sent.append(content)

    def settle(self):
        for _ in self.slices.steps():
            pass

    def write(self, **values):
        self.session.take("value", self.state["value"] | values)
        self.settle()

    def press(self, do, *buffers, **more):
        self.session.act({"do": do, **more}, [memoryview(each) for each in buffers])
        self.settle()

    @property
    def pins(self):
        """As the page keeps them."""
        return [{name: pin[name] for name in ("id", "value", "only")} for pin in self.state["frame"]["pins"]]


@pytest.fixture
def reader():
    return Reader()


def test_a_whole_frame_says_which_state_it_is(reader):
    assert reader.state["frame"]["state"] == {"value": FIRST.values(), "view": View().values()}
    reader.session.take("view", View(third="momentum").values())
    reader.settle()
    (renewed,) = [content for content in reader.sent if "state" in content]
    assert renewed["state"]["view"]["third"] == "momentum"
    assert renewed["serial"] == reader.state["frame"]["serial"]


def test_a_page_goes_to_a_state_that_it_remembers_and_stays_on_the_projector(reader):
    reader.write(gamma=5.0)
    was = reader.state["frame"]["state"]
    reader.session.take("view", View(x="gradients", present=True).values())
    reader.write(gamma=7.0)
    reader.press("go", **was)
    assert reader.session.settings.gamma == reader.state["value"]["gamma"] == 5.0
    assert reader.session.view == View(present=True)


NO_STATES = [{}, {"value": 3}, {"value": {"gamma": -1}}, {"value": {}, "view": {"x": "miles"}}]


@pytest.mark.parametrize("content", NO_STATES)
def test_what_is_no_state_is_refused_in_words(reader, content):
    reader.press("go", **content)
    assert "no state of it" in reader.state["status"]["text"]
    assert reader.session.settings == FIRST


def test_reset_says_that_it_can_be_undone_unless_it_changes_nothing(reader):
    reader.press("reset")
    assert reader.sent == [{"said": "The settings are as they were at the start."}]
    reader.write(gamma=5.0)
    reader.press("reset")
    assert reader.sent[1:] == [{"said": "Settings reset.", "undo": True}]
    assert reader.session.settings == FIRST


def test_settings_that_are_newer_than_the_address_come_back(reader):
    state = {"value": FIRST.values() | {"gamma": 6.0}, "view": View(x="gradients").values()}
    reader.press("open", query="v=1&gamma=7", kept=state)
    assert reader.session.settings.gamma == 6.0
    assert reader.session.view.x == "gradients"
    assert reader.state["frame"]["opened"] == "v=1&gamma=7"


@pytest.mark.parametrize("state", [None, 3, [], {"value": {"gamma": "five"}}, {"value": {"colour": 1}}])
def test_what_cannot_be_read_leaves_the_address_its_say(reader, state):
    reader.press("open", query="v=1&gamma=7&colour=red", kept=state, pins=[state])
    assert reader.session.settings.gamma == 7.0
    assert "'colour'" in reader.state["notice"]
    assert reader.session.board.pins == ()


def test_a_notice_that_speaks_of_another_picture_is_not_said(reader):
    state = {"value": FIRST.values(), "view": {}}
    reader.press("open", query="v=1&gamma=7&colour=red", kept=state)
    assert reader.state["notice"] == ""


def test_pins_come_back_with_their_letters_and_curves(reader):
    reader.write(gamma=3.0)
    reader.press("pin")
    reader.write(gamma=4.0)
    reader.press("pin")
    reader.press("unpin", id=1)
    reader.press("narrow", id=2, only="restart")
    reader.write(gamma=5.0)
    again = Reader()
    again.press("open", query="v=1", kept=reader.state["frame"]["state"], pins=reader.pins)
    assert again.state["frame"]["pins"] == reader.state["frame"]["pins"]
    assert again.state["frame"]["pins"][0]["name"] == "B"
    assert again.session.board.pins[0].only == "restart"
    one, other = (page.session.board.pins[0].whole.runs[1].trace.gap for page in (reader, again))
    assert one.tolist() == other.tolist()
    assert again.sent[-1:] != [{"said": "Pinned as B."}]


@pytest.mark.parametrize("only", ["fista", None, 3, ["restart"]])
def test_a_pin_comes_back_whole_where_its_method_is_none_of_it(reader, only):
    reader.press("open", query="v=1", pins=[{"id": 2, "value": FIRST.values(), "only": only}])
    assert [(pin.id, pin.only) for pin in reader.session.board.pins] == [(2, "")]


@pytest.mark.parametrize("number", [0, 4, True, "1", None])
def test_no_pin_comes_back_under_a_number_that_is_none(reader, number):
    reader.press("open", query="v=1", pins=[{"id": number, "value": FIRST.values()}])
    assert reader.session.board.pins == ()


def test_a_file_comes_back_before_the_picture_that_needs_it(reader):
    reader.press("upload", FILE, name="mine.csv")
    own = reader.state["value"]["own"]
    state = reader.state["frame"]["state"]
    reader.press("pin")
    reader.write(iterations=50)
    again = Reader()
    again.press("upload", FILE, name="mine.csv", again=True, label="", leave_out="")
    assert again.session.settings == FIRST, "it is to be had, and not shown yet"
    again.press("open", query="v=1", kept=state, pins=reader.pins)
    assert again.session.settings.own == own
    assert again.state["status"]["kind"] == "done"
    assert len(again.session.board.pins) == 1


def test_a_file_that_is_read_by_other_columns_comes_back_as_it_was_read(reader):
    table = b"M,1.5,2\n" + b"".join(
        b"%s,%d.5,%d\n" % (b"MB"[i % 2 : i % 2 + 1], i, i * i % 7) for i in range(12)
    )
    reader.press("upload", table, name="mine.csv")
    reader.press("columns", own=reader.state["value"]["own"], label="0", leave_out="2")
    state = reader.state["frame"]["state"]
    choices = {name: state["value"][name] for name in ("label", "leave_out")}
    again = Reader()
    again.press("upload", table, name="mine.csv", again=True, **choices)
    again.press("open", query="v=1", kept=state)
    assert again.state["mismatch"] == {}
    one, other = (page.session.experiment.runs[0].trace.gap for page in (reader, again))
    assert one.tolist() == other.tolist()
    fields = [field for group in again.state["spec"] for field in group["fields"]]
    (own,) = [field["own"] for field in fields if field["name"] == "upload"]
    assert own == state["value"]["own"]


def test_a_pin_whose_file_is_gone_is_said_and_the_others_come(reader):
    lost = FIRST.values() | {"problem": "lasso", "data": "own", "own": "0" * 64}
    pins = [{"id": 1, "value": lost}, {"id": 2, "value": FIRST.values() | {"gamma": 9.0}}]
    reader.press("open", query="v=1", pins=pins)
    assert [pin.letter for pin in reader.session.board.pins] == ["B"]
    assert reader.state["notice"].startswith("A pin could not be kept. This page does not have this file")


def test_a_story_goes_on_where_it_was_and_its_answer_is_measured_again(reader):
    reader.press("story", name="gamma")
    question = reader.state["story"]
    assert question["stage"] == "asked"
    reader.press("predict", value=reader.state["story"]["guess"]["min"])
    card, state = reader.state["story"], reader.state["frame"]["state"]
    assert card["stage"] == "revealed"
    link = reader.state["frame"]["share"]["query"]
    for _ in range(1):
        again = Reader()
        again.press("open", query=link, kept=state, story={"name": card["name"], "given": card["given"]})
        assert again.state["story"] == card
        assert again.state["frame"]["state"] == state
    for story in (
        {"name": card["name"]},
        {"name": card["name"], "given": "much"},
        {"name": card["name"], "given": [1]},
    ):
        again = Reader()
        again.press("open", query=link, kept=state, story=story)
        assert again.state["story"] == question


@pytest.mark.parametrize("story", [None, 3, {}, {"name": None}, {"name": ["gamma"]}, {"name": "none"}])
def test_a_story_that_is_none_leaves_the_address_its_say(reader, story):
    state = {"value": FIRST.values() | {"gamma": 6.0}, "view": {}}
    reader.press("open", query="v=1", kept=state, story=story)
    assert reader.state["story"] == {}
    assert reader.session.settings.gamma == 6.0
    reader.press("open", query="v=1&story=gamma", kept=state, story=story)
    assert reader.state["story"]["stage"] == "asked"
    assert reader.session.settings.gamma != 6.0


WRONG = {
    "methods": ({"methods": []}, "methods", "Choose methods"),
    "weight": ({"problem": "logistic", "lam": 0.0}, "lam", "Go to Weight λ"),
    "no file": ({"problem": "lasso", "data": "own"}, "upload", "Choose a file"),
    "lost file": ({"problem": "lasso", "data": "own", "own": "0" * 64}, "upload", "Choose a file"),
    "number": ({"gamma": "many"}, "gamma", "Go to Restart γ"),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_picture_that_is_not_the_rails_says_why_and_what_mends_it(reader, name):
    values, field, label = WRONG[name]
    assert reader.state["mismatch"] == {}
    reader.write(**values)
    text = reader.state["status"]["text"]
    assert reader.state["mismatch"] == {"text": text, "field": field, "label": label}
    assert list(reader.state["problems"]) == ["data" if field == "upload" else field]
    reader.press("go", **reader.state["frame"]["state"])
    assert reader.state["mismatch"] == {}
    assert reader.state["status"]["kind"] == "done"


class Meddled(dict):
    """The state of a session in which something happens just before the n-th time that a part is written."""

    def __init__(self, state, part, times, happen):
        super().__init__(state)
        self.part, self.times, self.happen = part, times, happen

    def __setitem__(self, name, value):
        self.times -= name == self.part
        if name == self.part and self.times == 0:
            self.happen()
        super().__setitem__(name, value)


def upload_field(session):
    return next(
        each for group in session.state["spec"] for each in group["fields"] if each["name"] == "upload"
    )


@pytest.mark.parametrize(("part", "times"), [("spec", 1), ("spec", 2), ("problems", 1)])
def test_a_file_that_comes_while_the_rail_is_written_is_not_lost(part, times):
    """A message comes in another thread than the work, which has made what it writes of what was before."""
    reader = Reader()
    session = reader.session
    bring = lambda content: session.act({"do": "upload", "name": "mine.csv"}, [memoryview(content)])  # noqa: E731
    session.state = Meddled(session.state, part, times, lambda: bring(b"1,2,0\n3,x,1\n"))
    reader.state = session.state
    reader.write(gamma=5.0)
    assert "mine.csv" in session.state["problems"]["upload"]
    assert upload_field(session)["preview"], "its cells are shown, to leave a column out"
    session.state = Meddled(session.state, part, times, lambda: bring(FILE))
    reader.state = session.state
    reader.write(gamma=6.0)
    assert session.state["problems"] == {}
    assert upload_field(session)["own"] == session.laboratory.shelf.newest.sha256


def test_a_file_stays_refused_until_another_one_comes(reader):
    reader.press("upload", b"1,2\n3\n", name="bad.csv")
    refused = reader.state["problems"]
    reader.write(gamma=5.0)
    assert reader.state["problems"] == refused
    assert reader.state["mismatch"] == {}, "the picture is that of the rail"
    reader.press("upload", FILE, name="mine.csv")
    assert reader.state["problems"] == {}
