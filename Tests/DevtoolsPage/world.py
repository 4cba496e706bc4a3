#!/usr/bin/env python3
"""Checks the devtools of a program that really runs, in Chromium: what is done on the page must happen in the program.

    python3 world.py PROGRAM DESK [--pictures DIR]         # Examples' devtools-world, and pigeon-devtools

`check.py` checks the page itself, against a mock that can be told what to do.
"""

import argparse
import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from selenium.webdriver.support.ui import Select

from check import Checks, Page, described

TABS = ["entries", "timeline", "mutations", "log", "client"]


class Program:
    """A run of devtools-world."""

    def __init__(self, path, *arguments, desk=None):
        environment = {**os.environ, "PIGEON_DEVTOOLS": desk} if desk else None
        self.process = subprocess.Popen([path, "--seconds", "600", *arguments], stdout=subprocess.PIPE, text=True, env=environment)
        self.address = desk or re.search(r"http://\S+", self.process.stdout.readline()).group(0)

    def end(self):
        self.process.kill()
        self.process.wait(10)


class Desk:
    """A run of pigeon-devtools."""

    def __init__(self, path):
        self.process = subprocess.Popen([path, "--port", "0"], stdout=subprocess.PIPE, text=True)
        lines = [self.process.stdout.readline() for _ in range(3)]
        self.address = re.search(r"http://\S+", lines[0]).group(0)
        self.dial = re.search(r"ws://[^']+", lines[2]).group(0)

    def end(self):
        self.process.kill()
        self.process.wait(10)


def details(page):
    return page.text("#panel-entries .panel")


def rows(page):
    return page.js("return [...pigeon.facts.rows.values()]")


def row(page, key):
    return next((row for row in rows(page) if row["key"] == key), None)


def events(page, key, kind):
    script = "return pigeon.facts.events.filter((event) => event.key === arguments[0] && event.kind === arguments[1])"
    return page.js(script, key, kind)


def check_entries(page):
    page.wait("the users", lambda: len([row for row in rows(page) if row["key"].startswith("users/")]) >= 4)
    page.wait("the clock polls", lambda: len(events(page, "clock", "fresh")) >= 2)
    assert row(page, "users/1")["observers"] == 1
    assert row(page, "users/1")["type"] == "User"


def check_hidden(page):
    assert row(page, "session") is None
    hidden = next(row for row in rows(page) if row["isPrivate"])
    page.open(hidden["key"])
    page.wait("the entry", lambda: hidden["key"] in details(page))
    assert "not for others" not in page.js("return document.body.innerText")


def check_actions(page):
    page.open("users/1")
    page.wait("its value", lambda: "email" in details(page))
    for action, kind in [("Refetch", "fetching"), ("Invalidate", "invalidated"), ("Reset", "fetching")]:
        def count():
            return len([event for event in events(page, "users/1", kind) if "devtools" in " ".join(event["causes"])])
        before = count()
        page.click(action, "#panel-entries .panel")
        page.wait(f"{kind} by devtools", lambda: count() > before)
    page.wait("its value again", lambda: row(page, "users/1")["state"] == "fresh")


def check_items(page):
    part = "#panel-entries [aria-label=Contains]"
    page.open("feed")
    page.wait("its posts", lambda: page.all(f"{part} .row"))
    post = page.js("return pigeon.facts.details.get('feed').items[0].items[0].id")
    page.click_row(f"{part} .row")
    page.wait("where it stands", lambda: "feed, this entry" in page.text(f"#panel-entries [aria-label='Where Post {post} stands']"))
    assert "The newest came from" in page.text(f"#panel-entries [aria-label='Where Post {post} stands']")


def check_faults(page):
    page.open("users/2")
    page.click("Fail", "#panel-entries .panel")
    page.click("Refetch", "#panel-entries .panel")
    page.wait("the failure", lambda: row(page, "users/2")["state"] == "failed", 30)
    assert row(page, "users/2")["error"] == "simulated failure"
    page.wait("why", lambda: "simulated failure" in page.text("#panel-entries .why"))
    page.click("Hang", "#panel-entries .panel")
    page.click("Refetch", "#panel-entries .panel")
    page.wait("a fetch", lambda: row(page, "users/2")["activity"] == "fetching")
    page.click("Cancel", "#panel-entries .panel")
    page.wait("its end", lambda: row(page, "users/2")["activity"] == "idle")
    page.click("Normal", "#panel-entries .panel")
    page.click("Refetch", "#panel-entries .panel")
    page.wait("a value", lambda: row(page, "users/2")["state"] == "fresh")


def check_edit(page):
    page.open("users/3")
    page.wait("its value", lambda: "email" in details(page))
    page.click("Edit value…", "#panel-entries .panel")
    area = page.find("dialog textarea")
    area.clear()
    area.send_keys('{"id": 3, "name": 7, "email": ""}')
    page.click("Write value", "dialog")
    page.toast("name")
    area.clear()
    area.send_keys('{"id": 3, "name": "Written by hand", "email": "x"}')
    page.click("Write value", "dialog")
    page.wait("the value", lambda: "Written by hand" in details(page))
    page.click("Remove", "#panel-entries .panel")
    page.wait("that it is empty", lambda: row(page, "users/3") is None or row(page, "users/3")["state"] != "fresh"
              or "Written by hand" not in details(page))


def check_surroundings(page):
    page.click("Online")
    page.wait("off", lambda: page.button("Online").get_attribute("aria-pressed") == "false")
    page.open("users/4")
    page.click("Refetch", "#panel-entries .panel")
    page.wait("a pause", lambda: row(page, "users/4")["activity"] == "paused")
    page.click("Online")
    page.wait("its end", lambda: row(page, "users/4")["activity"] == "idle")
    page.click("Foreground")
    page.wait("the background", lambda: page.button("Foreground").get_attribute("aria-pressed") == "false")
    page.click("Foreground")


def check_mutations(page):
    page.tab("mutations")
    page.wait("one that was set aside", lambda: "set aside" in page.text("#panel-mutations"), 40)
    page.click_last("#panel-mutations button[aria-label^='Discard']")
    page.click("Discard", "dialog")
    page.toast("discarded")


def check_timeline(page):
    page.tab("timeline")
    page.wait("spans", lambda: page.js("return pigeon.tab.lanes.some((lane) => lane.spans.length > 2)"))


def check_requests(page):
    page.tab("requests")
    page.wait("a request", lambda: page.js("return [...pigeon.facts.requests.values()].some((it) => it.status === 200 && it.key === 'clock')"))
    page.wait("its path", lambda: "/clock" in page.text("#panel-requests"))
    page.tab("timeline")
    page.wait("it beneath the spans", lambda: page.js("return pigeon.tab.lanes.some((lane) => lane.requests?.length > 2)"))


def check_replay(page, program):
    """A recording of what has happened so far is replayed by a program of its own."""
    lines = page.js("return [...pigeon.ring.lines({ program: pigeon.liveHello.program, client: null, savedAt: Date.now() })].join('\\n')")
    file = Path(tempfile.gettempdir()) / f"world-{os.getpid()}.pigeon"
    file.write_text(lines)
    answer = subprocess.run([program, "--replay", str(file)], capture_output=True, text=True, timeout=120)
    print(answer.stdout, answer.stderr, flush=True)
    assert answer.returncode == 0, answer.stderr


def check_desk(page, desk, program, pictures):
    page = Page(desk.address, pictures)
    joined = None
    try:
        page.wait("the notice", lambda: page.text("#connection") == "Waiting for a program")
        for _ in range(2):
            joined = Program(program, desk=desk.dial)
            page.wait("a connection", lambda: page.text("#connection") == "Connected", 20)
            page.wait("the entries", lambda: row(page, "users/1"), 20)
            page.tab("entries")
            page.open("users/1")
            page.wait("its value", lambda: "email" in details(page))
            page.click("Refetch", "#panel-entries .panel")
            page.wait("what was asked for", lambda: any("devtools" in " ".join(event["causes"]) for event in events(page, "users/1", "fetching")))
            page.picture("world-desk")
            joined.end()
            page.wait("that it has left", lambda: page.text("#connection") == "Waiting for a program", 20)
        assert not page.problems(), page.problems()
    finally:
        page.close()
        joined and joined.end()


def check_client(page):
    page.tab("client")
    page.wait("a preview", lambda: "Matches" in page.text("#panel-client"))
    assert "NaN" not in page.text("#panel-client"), page.text("#panel-client")
    Select(page.find("#panel-client select")).select_by_visible_text("Below a path")
    page.find("#panel-client input[type=text]").send_keys("users")
    page.wait("what matches", lambda: re.search(r"Matches \d+ entries", page.text("#panel-client")))
    page.js("[...document.querySelectorAll('#panel-client button')].find((it) => it.textContent.startsWith('Invalidate')).click()")
    page.toast("invalidated")
    Select(page.find("#client")).select_by_value("2")
    page.tab("entries")
    page.wait("the other client", lambda: all(row["key"].startswith("users/") for row in rows(page)), 20)
    Select(page.find("#client")).select_by_value("1")
    page.wait("the first again", lambda: row(page, "clock"))


def check_two_browsers(page, address, pictures):
    other = Page(address, pictures)
    try:
        other.wait("the entry", lambda: row(other, "users/1"))
        page.open("users/1")
        page.click("Hang", "#panel-entries .panel")
        other.wait("the fault", lambda: row(other, "users/1")["fault"] == "hang")
        page.click("Normal", "#panel-entries .panel")
        other.wait("no fault", lambda: row(other, "users/1")["fault"] is None)
    finally:
        other.close()


def check_reload(page):
    page.driver.refresh()
    page.wait("the entry", lambda: row(page, "clock"))


def check_pictures(page):
    page.open("users/1")
    page.show_all()
    time.sleep(2)
    for scheme in ["light", "dark"]:
        page.media(prefers_color_scheme=scheme)
        for name in TABS:
            page.tab(name)
            time.sleep(1)
            page.picture(f"world-{name}-{scheme}")
            assert page.check_contrast((scheme, name)) > 10, (scheme, name)


def check_lost(page, program):
    program.end()
    page.wait("the notice", lambda: page.text("#connection") == "Disconnected", 15)
    page.picture("world-lost")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("desk")
    parser.add_argument("--pictures", default=str(Path(tempfile.gettempdir()) / "devtools-page"))
    arguments = parser.parse_args()
    pictures = Path(arguments.pictures)
    pictures.mkdir(parents=True, exist_ok=True)
    # The world goes offline by itself now and then, which would answer a click on "Online" with its opposite.
    program = Program(arguments.program, "--online")
    big = Program(arguments.program, "--entries", "100000")
    desk = Desk(arguments.desk)
    page = Page(program.address, pictures)
    failures = 0
    try:
        page.wait("a connection", lambda: page.text("#connection") == "Connected")
        more = {check_two_browsers: (program.address, pictures), check_lost: (program,), check_replay: (arguments.program,),
                check_desk: (desk, arguments.program, pictures)}
        for check in [check_entries, check_hidden, check_actions, check_items, check_faults, check_edit, check_surroundings, check_timeline,
                      check_requests, check_replay, check_desk, check_client, check_two_browsers, check_reload, check_mutations, check_pictures, check_lost]:
            try:
                check(page, *more.get(check, ()))
                errors = [error for error in page.problems() if check is not check_lost]
                assert not errors, errors
                print(f"ok      {check.__name__[6:]}", flush=True)
            except Exception as error:  # A check that fails must not hide the others.
                failures += 1
                print(f"FAILED  {check.__name__[6:]}, {described(error)} {page.problems()}", flush=True)
                page.picture(f"failed-world-{check.__name__[6:]}")
                for dialog in page.all("dialog"):
                    page.js("arguments[0].close()", dialog)
        checks = Checks(argparse.Namespace(address=big.address, big=big.address, manual=None, desk=None, pictures=arguments.pictures))
        failures += checks.run("100000")
    finally:
        page.close()
        program.end()
        big.end()
        desk.end()
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
