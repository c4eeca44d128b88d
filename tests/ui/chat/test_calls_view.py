"""The box of a step's calls: a row for what went well, more for what did not, rows that open in place, cards below for what waits."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace
from PySide6.QtCore import QPointF

from tests.pace import not_hung, steps
from tests.ui.chat.calls import box, call, changed, command, denied, finished, waiting
from tests.ui.chat.stage import MARGIN, NOW, Stage
from tests.ui.gui import Gui
from workbench.conversation.calls import Preview
from workbench.conversation.events import Decided
from workbench.conversation.messages import ImagePart, TextPart, ToolResultPart
from workbench.inspection.timeline_items import Call
from workbench.ui.bridge import Bridge
from workbench.ui.chat.call_sheet import contents_sheet
from workbench.ui.chat.calls_view import CallsView
from workbench.ui.chat.code_rows import WRAPPED
from workbench.ui.chat.item_view import INDENT
from workbench.ui.kit.theme import theme

DIFF = "--- a\n+++ a\n@@ -10,2 +10,3 @@\n def one():\n-    return 1\n+    return 2\n+\n"


def view(*calls: Call) -> CallsView:
    return CallsView(box(*calls), Bridge())


def read(**fields: Any) -> Call:
    return call("read", "ok", "src/a.py", finished=finished("read", facts="84 lines", duration_s=0.009, **fields))


def test_what_went_well_is_one_row(gui: Gui) -> None:
    assert view(read()).measure(600) == theme.card_row
    assert view(read(), read(), read()).measure(600) == 3 * theme.card_row
    assert view(read()).plain_text() == "read src/a.py  84 lines · 9 ms"


@pytest.mark.parametrize(
    ("shown", "extra", "words"),
    [
        (call("edit", "queued", "a"), 0, ""),
        (call("bash", "rejected", "a", note="No new dependency."), "note", "No new dependency."),
        (call("bash", "denied", "a", decided=denied("A rule."), finished=finished("bash", "denied")), "note", "A rule."),
        (call("x", "failed", finished=finished("x", "error", "Error (no_match): Not there.")), "note", "Not there."),
        (call("edit", "edited", "a", edited=True, sent={"a": 1}, ran={"a": 2}), "change", "-a: 1\n+a: 2"),
        (call("bash", "running", "a", started_at=NOW, output="x\ny\n", output_lines=2), "tail", "live · 2 lines"),
        (call("bash", "running", "a", started_at=NOW, output="x\n" * 9, output_lines=41), "tail", "live · last 3 of 41 lines"),
        (call("bash", "ok", "a", finished=finished("bash", files_changed=(changed("a", 8, 2), changed("b", 4, 3)))), "files", "2 files changed +12 −5"),
        (call("edit", "ok", "a", finished=finished("edit", facts="+3 −2", files_changed=(changed("a", 3, 2),))), 0, ""),
    ],
)
def test_heights_and_words_of_every_state(gui: Gui, shown: Call, extra: Any, words: str) -> None:
    heights = {
        "note": theme.lh + 10,
        "change": 2 * theme.mh + 18,
        "tail": min(3, shown.output.count("\n")) * theme.mh + 16 + theme.lh + 8,
        "files": theme.compact + 8,
    }
    one = view(shown)
    assert one.measure(600) == theme.card_row + heights.get(extra, 0)
    assert words in one.plain_text()
    assert abs(one.estimate(600) - one.measure(600)) <= theme.mh


def test_a_long_line_of_a_result_is_marked_where_it_goes_on(gui: Gui) -> None:
    text = "word " * 60
    sheet = contents_sheet(read(text=text), 400).sheet
    marks = [row for row in sheet._rows if getattr(row, "shown", "") == WRAPPED]
    assert len(marks) >= 3
    assert all(mark.rect.x() < INDENT + 8 for mark in marks)
    assert WRAPPED not in sheet.text
    assert text.strip() in sheet.text


def test_a_long_error_is_wrapped_not_cut(gui: Gui) -> None:
    shown = call("x", "failed", finished=finished("x", "error", f"Error (bad): {'word ' * 60}end."))
    one = view(shown)
    assert one.measure(400) > theme.card_row + 2 * theme.lh
    assert one.plain_text().endswith("end.")


async def test_a_row_opens_and_closes_where_it_is_clicked(gui: Gui) -> None:
    shown = read(text="1\tone\n2\ttwo")
    shown.sent = {"file_path": "src/a.py"}
    stage = gui.show(Stage(view(read(), shown)))
    closed = stage.view.measure(600)
    second = stage.view.targets(600)[1]
    gui.click_at(stage, stage.middle(second))
    assert stage.done == [("toggle", shown.call_id)]
    assert stage.view.measure(600) > closed
    assert '{\n  "file_path": "src/a.py"\n}' in stage.view.plain_text()
    assert "1\tone\n2\ttwo" in stage.view.plain_text()
    gui.click_at(stage, stage.middle(second))
    assert stage.view.measure(600) == closed


def test_an_opened_edit_shows_the_difference_that_was_approved(gui: Gui) -> None:
    shown = call("edit", "ok", "a.py", preview=Preview(kind="diff", body=DIFF), finished=finished("edit"))
    one = view(shown)
    one.toggle(shown.call_id)
    assert " def one():\n-    return 1\n+    return 2\n+\n" in one.plain_text()


def test_an_edit_that_nobody_was_asked_about_shows_what_its_arguments_replace(gui: Gui) -> None:
    shown = call("edit", "ok", "a.py", sent={"old_string": "a\nb", "new_string": "a\nc"}, finished=finished("edit"))
    one = view(shown)
    one.toggle("")
    assert " a\n-b\n+c" in one.plain_text()


def test_an_opened_call_tells_what_was_mended_in_its_arguments(gui: Gui) -> None:
    decided = Decided(
        turn_id="t", step=1, call_id="c", tool="read", outcome="allow", danger=0, outside=False, notices=("'path' was read as 'file_path'.",)
    )
    one = view(call("read", "ok", "a", decided=decided, sent={"file_path": "a"}, finished=finished("read")))
    assert "was read as" not in one.plain_text()
    one.toggle("")
    assert "\n'path' was read as 'file_path'.\nArguments\n" in one.plain_text()


def test_two_hundred_lines_of_a_result_are_shown_and_the_inspector_has_the_rest(gui: Gui) -> None:
    shown = read(text="\n".join(f"line {number}" for number in range(1_000)))
    one = view(shown)
    one.toggle(shown.call_id)
    assert "line 199" in one.plain_text()
    assert "line 200" not in one.plain_text()
    more = [target for target in one.targets(600) if target.action == "show_result"]
    assert [(target.name, target.argument) for target in more] == [("800 more lines, in the inspector", shown.call_id)]
    copies = [target.argument for target in one.targets(600) if target.action == "copy"]
    assert copies == [shown.finished.result.text() if shown.finished else ""], "copying gives all of it"


def test_a_long_line_is_cut_and_the_inspector_has_it_whole(gui: Gui) -> None:
    shown = call("read", "ok", "a.json", finished=finished("read", text="x" * 3_000))
    one = view(shown)
    one.toggle("")
    assert "… +1000 characters" in one.plain_text()
    more = [target for target in one.targets(600) if target.action == "show_result"]
    assert [(target.name, target.argument) for target in more] == [("The long lines whole, in the inspector", shown.call_id)]


def test_pictures_in_a_result_are_named(gui: Gui) -> None:
    part = ToolResultPart(call_id="c", name="read", content=(TextPart(text="A picture:"), ImagePart(media_type="image/png", data="abcd")))
    shown = call("read", "ok", "a.png", finished=finished("read"))
    assert shown.finished is not None
    shown.finished = replace(shown.finished, result=part)
    one = view(shown)
    one.toggle("")
    assert "A picture:\n[image/png, 4 characters of base64]" in one.plain_text()


def test_foreign_text_hides_nothing_and_is_never_markup(gui: Gui) -> None:
    shown = call("<b>x</b>", "ok", "a\u202eb <img src=x>", finished=finished("x", text="<script>&amp;\u202e"))
    one = view(shown)
    assert one.plain_text() == "<b>x</b> a⟨U+202E⟩b <img src=x>  0 ms"
    one.toggle("")
    assert "<script>&amp;\u202e" in one.plain_text(), "what is copied from a result is the result"


async def test_a_running_call_is_stopped_by_its_button_only(gui: Gui) -> None:
    shown = call("bash", "running", "sleep 9", started_at=NOW - 14)
    stage = gui.show(Stage(view(shown)))
    gui.click_at(stage, stage.middle(stage.target("stop_call")))
    assert stage.done == [("stop_call", shown.call_id)]
    assert stage.view.moves()
    assert stage.target("stop_call").name == "Stop this call"


async def test_elapsed_seconds_count(gui: Gui) -> None:
    stage = gui.show(Stage(view(call("bash", "running", "sleep 9", started_at=NOW - 14))))
    first = gui.picture(stage)
    stage.now += 1
    assert gui.picture(stage) != first
    assert "00:15" in stage.view.plain_text()


async def test_the_row_under_the_pointer_shows_that_it_opens(gui: Gui) -> None:
    stage = gui.show(Stage(view(read(), read())))
    calm = gui.picture(stage)
    stage.pointer = QPointF(40, theme.card_row + 5)
    over = gui.picture(stage)
    inside = (MARGIN + 300, MARGIN + theme.card_row + 6)
    assert over.pixelColor(*inside) == theme["hover"]
    assert calm.pixelColor(*inside) == theme["card"]
    assert over.pixelColor(MARGIN + 300, MARGIN + 6) == theme["card"], "the other row stays"


def test_arguments_that_arrive_show_name_and_size(gui: Gui) -> None:
    one = view(call("write", "arriving", arguments_raw="x" * 42))
    assert one.plain_text() == "write  42 characters of arguments"
    assert one.moves()


def test_a_change_of_a_call_is_seen_after_its_revision(gui: Gui) -> None:
    shown = call("bash", "running", "make", started_at=NOW)
    one = view(shown)
    assert one.measure(600) == theme.card_row
    shown.output, shown.output_lines = "out\n", 1
    one.item.revision += 1
    assert one.measure(600) > theme.card_row
    shown.state, shown.output, shown.finished = "ok", "", finished("bash", facts="0.1 s")
    one.item.revision += 1
    assert one.measure(600) == theme.card_row
    assert "0.1 s" in one.plain_text()


def test_waiting_calls_stand_below_the_box_each_a_card(gui: Gui) -> None:
    first, second = command("make docs", "Asks."), command("make test", "Asks.")
    one = view(read(), waiting(first), waiting(second))
    areas = one.widget_areas(600)
    assert [key for key, _area in areas] == [first.approval_id, second.approval_id]
    assert areas[0][1].y() == theme.card_row + 8
    assert areas[1][1].y() == areas[0][1].bottom() + 8
    assert one.measure(600) == round(areas[1][1].bottom())
    assert not [target for target in one.targets(600) if "make" in target.name]


def test_only_waiting_calls_make_no_empty_box(gui: Gui) -> None:
    one = view(waiting(command("make docs", "Asks.")))
    assert one.widget_areas(600)[0][1].y() == 0
    assert "waiting for you" in one.plain_text()


def test_words_can_be_chosen_by_the_character(gui: Gui) -> None:
    one = view(read(), call("bash", "rejected", "make", note="Not this one."))
    one.measure(600)
    text = one.plain_text()
    assert one.offset_at(0, 0, 600) == 0
    assert one.offset_at(9_999, 9_999, 600) == len(text)
    start, end = one.offset_at(0, theme.card_row + 2, 600), one.offset_at(9_999, theme.card_row + 2, 600)
    assert one.selected_text(start, end) == "bash make  rejected by you"
    note = one.offset_at(0, 2 * theme.card_row + 2, 600)
    assert text[note:] == "Not this one."


def test_words_are_the_same_before_and_after_they_are_laid_out(gui: Gui) -> None:
    calls = [
        read(),
        call("bash", "rejected", "make"),
        call("", "ok"),
        call("edit", "edited", "a", edited=True, sent={"a": 1}, ran={"a": 2}),
        call("bash", "rejected", "make", note="No."),
        call("bash", "failed", "make", finished=finished("bash", "error", "Error (x): No.")),
    ]
    for number in range(1, len(calls) + 1):
        before = view(*calls[:number]).plain_text()
        laid_out = view(*calls[:number])
        laid_out.measure(400)
        assert before == laid_out.plain_text()


async def test_found_words_and_the_hit_jumped_to_are_marked(gui: Gui) -> None:
    shown = call("bash", "failed", "make", finished=finished("bash", "error", "Error (x): It is a needle."))
    stage = gui.show(Stage(view(read(), shown)))
    text = stage.view.plain_text()
    hit = (text.index("needle"), text.index("needle") + 6)
    stage.marks, stage.mark = (hit,), None
    found = gui.picture(stage)
    stage.mark = hit
    jumped = gui.picture(stage)
    y = MARGIN + round(stage.view.top_of(hit[0], 600)) + 2
    assert y > MARGIN + 2 * theme.card_row - 4
    assert theme.hex("level2_tint") in {found.pixelColor(x, y).name() for x in range(found.width())}
    assert theme.hex("accent_fill") in {jumped.pixelColor(x, y).name() for x in range(jumped.width())}


def test_a_screen_reader_hears_state_and_facts_of_each_call(gui: Gui) -> None:
    name = view(read(), call("bash", "denied", "git push", decided=denied("No."))).accessible_name()
    assert name == "2 calls. read src/a.py, done, 84 lines · 9 ms. bash git push, denied by a rule"


@pytest.mark.parametrize("language", ["en", "zh_CN"])
@pytest.mark.parametrize("name", ["light", "dark"])
@pytest.mark.parametrize("width", [330, 820])
async def test_every_state_is_painted_in_every_theme_and_width(gui: Gui, name: str, language: str, width: int) -> None:
    theme.use(name, language)
    calls = [
        read(),
        call("bash", "running", "a " * 90, started_at=NOW, output="x" * 500, output_lines=1),
        call("bash", "failed", "x", finished=finished("bash", "error", "Error (x): " + "long " * 50)),
        call("edit", "edited", "x", edited=True, sent={"a": "b" * 900}, ran={"a": "c" * 900}),
    ]
    stage = gui.show(Stage(view(*calls), width))
    stage.view.toggle("")
    stage.renew()
    image = gui.picture(stage)
    assert image.width() == width + 2 * MARGIN
    edge = {image.pixelColor(x, y).name() for x in (3, image.width() - 4) for y in range(image.height())}
    assert edge == {theme.hex("base")}, "nothing is painted beside the box"


async def test_a_very_long_line_opens_at_once(gui: Gui) -> None:
    shown = read(text='{"a":"' + "x" * 3_000_000 + '"}')
    stage = gui.show(Stage(view(shown)))
    with not_hung(2):
        stage.view.toggle(shown.call_id)
        stage.renew()
        gui.picture(stage)
    assert "… +2998008 characters" in stage.view.plain_text()
    assert len(stage.target("copy").argument) == 3_000_008


async def test_a_hundred_calls_cost_ten_times_what_ten_do(gui: Gui) -> None:
    costs = []
    for count in (10, 100):
        stage = gui.show(Stage(view(*(read() for _ in range(count)))))
        gui.picture(stage)
        costs.append(steps(gui.picture, stage))
    assert 0 < costs[1] < 15 * costs[0], costs
