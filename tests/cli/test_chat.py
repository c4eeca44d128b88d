"""The conversation at a real terminal: commands, messages, what Ctrl+C and Ctrl+D do."""

from __future__ import annotations

from tests.cli.program import Home, of_type
from tests.cli.screen import Screen

PROMPT = "› "


def test_commands_and_messages_in_one_conversation(home: Home) -> None:
    with Screen(home, str(home.workspace), anywhere=True) as screen:
        shown = screen.wait_for(PROMPT)
        assert "Practice model (a script, not an AI) · practice · Ask" in shown
        assert "Ctrl+D leaves" in shown
        for typed, told in (
            ("/help", "/quit       leave; the session is kept"),
            ("/mode", "The modes are read_only, ask, accept_edits, auto; now it is ask."),
            ("/mode nosuch", "The modes are"),
            ("/mode auto", "sandbox"),
            ("/mode read_only", "The mode is read_only now."),
            ("/model", "The model is practice/practice. Profiles: practice, practice-functions,"),
            ("/model nosuch/x", "There is no provider profile “nosuch”."),
            ("/model practice", "The model is practice/practice now."),
            ("/nosuch thing", "There is no command /nosuch"),
            ("", PROMPT),
            ("   ", PROMPT),
            ("run touch made", "Commands are not run"),
            (" /help is what I said", "fits none of my patterns"),
        ):
            screen.enter(typed)
            screen.wait_for(told)
            if told != PROMPT:
                screen.wait_for(PROMPT)
        screen.enter("/session")
        session_id = home.sessions()[0].session_id
        screen.wait_for(session_id)
        screen.wait_for(PROMPT)
        screen.enter("/quit")
        assert screen.end() == 0
    said = [fact["message"]["parts"][0]["text"] for fact in of_type(home.session(), "UserMessageAdded") if fact["message"]["role"] == "user"]
    assert said == ["run touch made", "/help is what I said"]
    assert [fact["mode"] for fact in of_type(home.session(), "ModeChosen")] == ["ask", "read_only"]


def test_interrupting_a_turn_goes_back_to_the_prompt(home: Home) -> None:
    home.settings("[practice]\ntokens_per_s = 20\n")
    with Screen(home, str(home.workspace), anywhere=True) as screen:
        screen.wait_for(PROMPT)
        screen.enter("introduce this project")
        screen.wait_for("practice model")
        screen.interrupt()
        screen.wait_for("Stopped.")
        screen.wait_for(PROMPT)
        screen.type("half a line")
        screen.interrupt()
        screen.wait_for("Ctrl+D leaves.")
        screen.wait_for(PROMPT)
        screen.type("\x04")
        assert screen.end() == 0
    facts = home.session()
    assert [fact["end"] for fact in of_type(facts, "TurnFinished")] == ["stopped"]


def test_without_a_folder_the_sample_project_is_opened(home: Home) -> None:
    with Screen(home, anywhere=True) as screen:
        screen.wait_for(PROMPT)
        screen.enter("hello")
        screen.wait_for(PROMPT)
        screen.type("\x04")
        assert screen.end() == 0
    assert home.sessions()[0].workspace == str(home.data / "sample")
    assert (home.data / "sample" / "README.md").is_file()


def test_a_turn_that_fails_leaves_the_conversation_open(home: Home) -> None:
    with Screen(home, str(home.workspace), anywhere=True) as screen:
        screen.wait_for(PROMPT)
        screen.enter("Drill: cut stream")
        screen.wait_for("broke off")
        screen.wait_for(PROMPT)
        screen.enter("what time is it")
        screen.wait_for("It is ")
        screen.wait_for(PROMPT)
        screen.enter("/quit")
        assert screen.end() == 0
    assert [fact["end"] for fact in of_type(home.session(), "TurnFinished")] == ["failed", "answered"]


def test_a_key_is_typed_unseen_and_kept_in_memory_without_a_keyring(home: Home) -> None:
    with Screen(home, str(home.workspace), anywhere=True) as screen:
        screen.wait_for(PROMPT)
        screen.enter("/key")
        screen.wait_for("needs no key")
        screen.enter("/model deepseek/deepseek-chat")
        screen.wait_for("deepseek/deepseek-chat now.")
        screen.enter("/key")
        screen.wait_for("Key of DeepSeek (not shown):")
        screen.enter("sk-canary-123456")
        screen.wait_for("kept in memory and gone when the program ends")
        screen.wait_for(PROMPT)
        screen.enter("/key")
        screen.wait_for("(not shown):")
        screen.interrupt()
        screen.wait_for("nothing was changed")
        screen.wait_for(PROMPT)
        screen.enter("/quit")
        assert screen.end() == 0
        assert "canary" not in screen.text
    assert not [path for path in home.data.rglob("*") if path.is_file() and b"canary" in path.read_bytes()]


def test_looking_for_local_servers_says_what_it_looked_for(home: Home) -> None:
    with Screen(home, str(home.workspace), anywhere=True) as screen:
        screen.wait_for(PROMPT)
        screen.enter("/servers")
        screen.wait_for("on this computer: looked for Ollama, llama.cpp, LM Studio, vLLM")
        screen.enter("/quit")
        assert screen.end() == 0
