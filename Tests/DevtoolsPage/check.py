#!/usr/bin/env python3
"""Checks the devtools page in Chromium, and saves pictures of it.

    pip install selenium; apt-get install -y chromium chromium-driver
    python3 check.py                         # starts the mock servers that it needs
    python3 check.py http://127.0.0.1:8123/?token=t0ken [--big ADDRESS] [--manual ADDRESS] [--desk ADDRESS]

What only a mock can be told to do (drop connections, make many events) is left out for other servers.
"""

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
import time
import traceback
import urllib.request
from pathlib import Path
from urllib.parse import urlsplit

from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.action_chains import ActionChains
from selenium.common.exceptions import (
    ElementClickInterceptedException, ElementNotInteractableException, StaleElementReferenceException, TimeoutException)
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import Select, WebDriverWait

FOLDER = Path(__file__).resolve().parent
TABS = ["entries", "timeline", "mutations", "requests", "log", "client"]

LONG_TASKS = """
window.longTasks = [];
new PerformanceObserver((list) => { for (const entry of list.getEntries()) longTasks.push(Math.round(entry.duration)); })
  .observe({ type: 'longtask', buffered: true });
const Socket = WebSocket;
window.WebSocket = class extends Socket {
  constructor(address) {
    super(address);
    this.addEventListener('message', ({ data }) => {
      if (window.firstChunk || !data.startsWith('{"type":"entries"')) return;
      window.firstChunk = performance.now();
      const look = () => (document.querySelector('.row') ? window.firstRows = performance.now() : requestAnimationFrame(look));
      requestAnimationFrame(look);
    });
  }
};
"""

CONTRAST = r"""
const parse = (text) => { const [r, g, b, a = 1] = text.match(/[\d.]+/g).map(Number); return { r, g, b, a }; };
const over = (top, below) => ({ r: top.r * top.a + below.r * (1 - top.a), g: top.g * top.a + below.g * (1 - top.a), b: top.b * top.a + below.b * (1 - top.a), a: 1 });
const light = ({ r, g, b }) => [r, g, b].map((c) => c / 255).map((c) => (c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4))
  .reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
const found = [];
let count = 0;
const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
while (walker.nextNode()) {
  const text = walker.currentNode.textContent.trim();
  const element = walker.currentNode.parentElement;
  if (!text || !element.checkVisibility({ opacityProperty: true, visibilityProperty: true }) || element.closest(':disabled, script, .offscreen, option')) continue;
  const box = element.getBoundingClientRect();
  if (box.width < 2 || box.bottom < 0 || box.top > innerHeight) continue;
  const layers = [];
  for (let up = element; up; up = up.parentElement) layers.unshift(parse(getComputedStyle(up).backgroundColor));
  const back = layers.reduce((below, top) => over(top, below), { r: 255, g: 255, b: 255, a: 1 });
  const front = over(parse(getComputedStyle(element).color), back);
  const [a, b] = [light(front), light(back)].sort((x, y) => y - x);
  const ratio = (a + 0.05) / (b + 0.05);
  count += 1;
  if (ratio < 4.5) found.push(`${ratio.toFixed(2)} ${element.className || element.tagName} "${text.slice(0, 30)}"`);
}
return [count, [...new Set(found)]];
"""


class Page:
    """A browser with the page in it."""

    def __init__(self, address, pictures, width=1280, height=800):
        options = webdriver.ChromeOptions()
        for argument in ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"]:
            options.add_argument(argument)
        options.add_argument(f"--window-size={width},{height}")
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        options.binary_location = shutil.which("chromium")
        # With its path given, nothing looks for a driver elsewhere.
        self.driver = webdriver.Chrome(options=options, service=Service(shutil.which("chromedriver")))
        self.pictures = pictures
        self.size(width, height)
        self.driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": LONG_TASKS})
        self.driver.set_page_load_timeout(30)
        try:
            self.driver.get(address)
        except Exception:
            self.close()
            raise

    def size(self, width, height):
        metrics = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)

    def media(self, **features):
        listed = [{"name": name.replace("_", "-"), "value": value} for name, value in features.items()]
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": listed})

    def js(self, script, *arguments):
        return self.driver.execute_script(script, *arguments)

    def find(self, css):
        return self.driver.find_element(By.CSS_SELECTOR, css)

    def all(self, css):
        return [element for element in self.driver.find_elements(By.CSS_SELECTOR, css) if element.is_displayed()]

    def button(self, text, within="body"):
        path = f".//button[normalize-space()='{text}' or @aria-label='{text}']"
        for element in self.find(within).find_elements(By.XPATH, path):
            if element.is_displayed():
                return element
        raise AssertionError(f"no button {text} in {within}")

    def click(self, text, within="body"):
        # A list can replace its buttons between the look and the click.
        self.wait(f"a click on {text}", lambda: self.button(text, within).click() or True)

    def click_last(self, css):
        """Clicks the last element, in one step with looking for it."""
        self.wait(css, lambda: self.js("const all = document.querySelectorAll(arguments[0]); all[all.length - 1]?.click(); return all.length", css))

    def keys(self, *keys):
        ActionChains(self.driver).send_keys(*keys).perform()

    def wait(self, what, condition, seconds=8):
        # The page can replace an element between two looks.
        wait = WebDriverWait(self.driver, seconds, 0.1, ignored_exceptions=[StaleElementReferenceException])
        try:
            return wait.until(lambda _: condition())
        except TimeoutException as error:
            raise AssertionError(f"did not happen in {seconds} s: {what}") from error

    def click_row(self, css, place=0):
        """Clicks a row of a list, which can be replaced while it is looked for."""
        def click():
            try:
                self.all(css)[place].click()
                return True
            except (ElementNotInteractableException, ElementClickInterceptedException, IndexError):
                return False
        self.wait(f"a click on {css}", click)

    def text(self, css):
        return self.js("return document.querySelector(arguments[0])?.textContent ?? ''", css)

    def toast(self, part):
        self.wait(f"the message {part}", lambda: part in self.text("#toasts"))
        self.js("document.querySelector('#toasts').replaceChildren()")

    def tab(self, name):
        self.find(f"#tab-{name}").click()
        self.wait(f"tab {name}", lambda: self.find(f"#panel-{name}").is_displayed())

    def open(self, key):
        self.tab("entries")
        search = self.find("#panel-entries input[type=search]")
        search.clear()
        search.send_keys(key)
        row = f"#panel-entries .row[title='{key}']"
        self.click_row(row)
        self.wait(f"entry {key}", lambda: self.text("#panel-entries .panel h2") == key)

    def picture(self, name):
        self.driver.save_screenshot(str(self.pictures / f"{name}.png"))

    def check_labels(self, place):
        """Each control has a name."""
        roles = {"button", "textbox", "searchbox", "combobox", "slider", "spinbutton", "tab", "tabpanel", "grid", "treegrid", "tree", "table", "dialog", "meter", "group"}
        for node in self.driver.execute_cdp_cmd("Accessibility.getFullAXTree", {})["nodes"]:
            role = node.get("role", {}).get("value")
            if role in roles and not node.get("ignored"):
                assert node.get("name", {}).get("value"), (place, role, node.get("properties"))

    def allow_copying(self):
        permissions = ["clipboardReadWrite", "clipboardSanitizedWrite"]
        self.driver.execute_cdp_cmd("Browser.grantPermissions", {"permissions": permissions, "origin": self.js("return location.origin")})

    def check_contrast(self, place):
        """Returns the number of texts on screen, none of which is too faint."""
        count, found = self.js(CONTRAST)
        assert not found, (place, found)
        return count

    def show_all(self):
        """Ends the search and the filters of the list."""
        self.find("#panel-entries input[type=search]").clear()
        self.js("pigeon.tabNamed('entries').clearFilters(); pigeon.tabNamed('entries').rebuildSoon(true)")

    def problems(self):
        return [entry for entry in self.driver.get_log("browser") if entry["level"] == "SEVERE"]

    def close(self):
        self.driver.quit()


def base(address):
    parts = urlsplit(address)
    return f"{parts.scheme}://{parts.netloc}"


class Checks:
    def __init__(self, arguments):
        self.address = arguments.address
        self.big = arguments.big
        self.manual = arguments.manual
        self.desk = arguments.desk
        self.pictures = Path(arguments.pictures)
        self.pictures.mkdir(parents=True, exist_ok=True)
        self.figures = {}
        self.failures = []
        self.base = base(self.address)
        self.is_mock = self.tell("status") is not None

    def tell(self, path, address=None):
        try:
            with urllib.request.urlopen(urllib.request.Request(f"{base(address or self.address)}/mock/{path}", method="POST"), timeout=5) as answer:
                return json.loads(answer.read())
        except OSError:
            return None
        except ValueError:
            return None

    def run(self, only):
        checks = [name for name in dir(self) if name.startswith("check_")]
        count = 0
        for name in sorted(checks, key=lambda name: getattr(type(self), name).__code__.co_firstlineno):
            is_big, is_desk = "100000" in name, name.startswith("check_desk")
            if (only and only not in name) or (is_big and not self.big) or (is_desk and not self.desk):
                continue
            count += 1
            if is_desk:
                self.tell_desk("leave", "recording")
            page = Page(self.big if is_big else self.desk if is_desk else self.address, self.pictures)
            start = time.monotonic()
            try:
                page.wait("a connection", lambda: page.text("#connection") == ("Waiting for a program" if is_desk else "Connected"))
                getattr(self, name)(page)
                errors = [error for error in page.problems() if "lost" not in name or "WebSocket" not in error["message"]]
                assert not errors, errors
                print(f"ok      {name[6:]}  {time.monotonic() - start:.1f} s", flush=True)
            except Exception as error:  # A check that fails must not hide the others.
                self.failures.append(name)
                print(f"FAILED  {name[6:]}, {described(error)} {page.problems()}", flush=True)
                page.picture(f"failed-{name[6:]}")
            finally:
                page.close()
        for name, value in self.figures.items():
            print(f"        {name}: {value}")
        print(f"{count - len(self.failures)} passed, {len(self.failures)} failed")
        return 1 if self.failures else 0

    # What is seen

    def check_start(self, page):
        assert "token" not in page.driver.current_url, page.driver.current_url
        page.wait("entries", lambda: len(page.all("#panel-entries .row")) > 5)
        page.wait("the program", lambda: "pid" in page.text("#program"))

    def check_pictures(self, page):
        page.open("weather/berlin")
        page.wait("versions", lambda: "marked" in page.text("#panel-entries [aria-label=Versions]"), 14)
        page.show_all()
        time.sleep(8)
        for scheme in ["light", "dark"]:
            page.media(prefers_color_scheme=scheme)
            for name in TABS:
                page.tab(name)
                if name == "timeline":
                    page.js("const tab = pigeon.tabNamed('timeline'); const lane = tab.lanes.find((lane) => lane.isMutation && lane.spans.length); if (lane) tab.select({ lane, span: lane.spans.at(-1) })")
                time.sleep(0.7)
                page.picture(f"{name}-{scheme}")
                self.figures[f"texts checked for contrast, {name} {scheme}"] = page.check_contrast((scheme, name))
        page.media(prefers_color_scheme="light")
        page.size(480, 800)
        page.find("#panel-client")
        for name in TABS:
            page.tab(name)
            page.js("pigeon.tab.escape?.()")
            time.sleep(0.5)
            page.picture(f"{name}-narrow")
            assert page.js("return document.documentElement.scrollWidth <= 480"), name
        page.open("weather/berlin")
        page.picture("entry-narrow")

    def check_theme(self, page):
        back = "return getComputedStyle(document.body).backgroundColor"
        page.media(prefers_color_scheme="dark")
        dark = page.js(back)
        page.media(prefers_color_scheme="light")
        assert page.js(back) != dark
        page.click("Colours: as the system")
        page.click("Colours: light")
        assert page.js(back) == dark
        page.driver.refresh()
        page.wait("a connection", lambda: page.text("#connection") == "Connected")
        assert page.js(back) == dark

    def check_labels(self, page):
        page.open("weather/berlin")
        for name in TABS:
            page.tab(name)
            time.sleep(0.3)
            page.check_labels(name)
        counts = page.js("return ['grid','treegrid','tablist','tab','tabpanel','tree','status'].map((role) => [role, document.querySelectorAll(`[role=${role}]`).length])")
        self.figures["roles"] = dict(counts)

    def check_keyboard(self, page):
        page.keys("/")
        assert page.js("return document.activeElement.type") == "search"
        page.keys("users", Keys.ENTER)
        page.wait("the list", lambda: page.js("return document.activeElement.getAttribute('role')") == "treegrid")
        page.wait("only users", lambda: " of " in page.text("#panel-entries .total"))
        page.keys("j", "j", Keys.ARROW_DOWN, "k")
        page.wait("a selection", lambda: page.text("#panel-entries .panel h2").startswith("users"))
        page.keys(Keys.ENTER)
        page.wait("the panel", lambda: page.js("return document.activeElement.classList.contains('body')"))
        page.keys(Keys.ESCAPE)
        page.wait("no selection", lambda: not page.all("#panel-entries .panel header"))
        for number, name in enumerate(TABS, start=1):
            page.keys(str(number))
            page.wait(name, lambda: page.find(f"#panel-{name}").is_displayed())
        page.keys("2", "+", Keys.ARROW_LEFT, "-", "0", Keys.ARROW_DOWN, "j", "n", "b")
        page.wait("a selected span", lambda: page.all("#panel-timeline .panel"))
        page.keys(Keys.ESCAPE, "?")
        page.wait("the keys", lambda: page.all("dialog"))
        page.picture("keys")
        page.keys(Keys.ESCAPE)
        page.wait("no dialog", lambda: not page.all("dialog"))
        page.keys("1")
        reached = set()
        for _ in range(60):
            page.keys(Keys.TAB)
            reached.add(page.js("const e = document.activeElement; return e.getAttribute('aria-label') || e.textContent.slice(0, 30) || e.tagName"))
            outline = page.js("const e = document.activeElement; return e === document.body || getComputedStyle(e).outlineStyle !== 'none' || e.matches('select')")
            assert outline, reached
        for name in ["Pause", "Save recording", "Search keys", "Flat", "Entries"]:
            assert any(name in text for text in reached), (name, reached)
        self.figures["controls reached by Tab"] = len(reached)

    def check_keys_before_a_frame(self, page):
        other = Page(self.address, self.pictures)
        try:
            other.wait("entries", lambda: other.all("#panel-entries .row"))
            other.js("window.late = []; window.now = requestAnimationFrame; window.requestAnimationFrame = (work) => late.push(work)")
            other.keys("2", "+", Keys.ARROW_LEFT, "0", "j", "n")
            other.js("window.requestAnimationFrame = now; late.forEach((work) => now(work))")
            other.wait("a selected span", lambda: other.all("#panel-timeline .panel"))
        finally:
            other.close()

    # Entries

    def check_search_and_order(self, page):
        search = page.find("#panel-entries input[type=search]")
        search.send_keys("weather")
        page.wait("2 rows", lambda: page.text("#panel-entries .total").startswith("2 of"))
        search.clear()
        search.send_keys("x", Keys.BACKSPACE)
        page.wait("all rows", lambda: "entries" in page.text("#panel-entries .total"))
        for name in ["stale", "fetching", "failed", "observed", "optimistic", "tagged", "faulty"]:
            chip = page.find(f"[data-chip={name}]")
            chip.click()
            page.wait(name, lambda: " of " in page.text("#panel-entries .total"))
            chip.click()
        page.wait("all rows", lambda: "entries" in page.text("#panel-entries .total"))
        page.click("Flat")
        page.wait("flat rows", lambda: page.find("#panel-entries .list").get_attribute("role") == "grid")
        page.click("Size", "#panel-entries .head")
        page.wait("sorted", lambda: page.all("#panel-entries [aria-sort]"))
        page.click("Tree")
        page.wait("groups", lambda: page.all("#panel-entries .row.group"))

    def check_entry_actions(self, page):
        page.open("notes/3")
        page.wait("why", lambda: page.all("#panel-entries .why li"))
        for action, said in [("Refetch", "refetched"), ("Invalidate", "invalidated"), ("Cancel", "cancelled"), ("Slow", "set to slow"),
                             ("Fail", "set to fail"), ("Hang", "set to hang"), ("Normal", "without a fault"), ("Reset", "reset"), ("Refetch", "refetched")]:
            page.click(action, "#panel-entries .panel")
            page.toast(said)
        page.wait("a value", lambda: page.all("#panel-entries .panel .tree"), 20)
        page.click("Edit value…", "#panel-entries .panel")
        area = page.find("dialog textarea")
        area.send_keys("x")
        page.click("Write value", "dialog")
        page.wait("a problem", lambda: "not JSON" in page.text("dialog [role=alert]"))
        area.clear()
        area.send_keys('{"id": 3, "title": "Written by hand"}')
        page.picture("edit")
        page.click("Write value", "dialog")
        page.toast("Written")
        page.wait("the new value", lambda: "Written by hand" in page.text("#panel-entries .tree"))
        page.click("Earlier version", "#panel-entries .panel")
        page.wait("the earlier version", lambda: "Written by hand" not in page.text("#panel-entries .tree .text"))
        page.click("Later version", "#panel-entries .panel")
        page.click("Remove", "#panel-entries .panel")
        page.toast("removed")
        page.wait("that it is gone", lambda: "gone" in page.text("#panel-entries .summary"))

    def check_group_actions(self, page):
        page.click_row("#panel-entries .row.group[title=teams]")
        page.wait("the group", lambda: page.text("#panel-entries .panel h2") == "teams/")
        page.click("Invalidate", "#panel-entries .panel")
        page.toast("12 entries invalidated")
        page.click("Remove", "#panel-entries .panel")
        page.wait("a question", lambda: "12 entries" in page.text("dialog h2"))
        page.click("Cancel", "dialog")

    def check_optimistic(self, page):
        if not self.is_mock:
            return
        for _ in range(6):
            self.tell("mutate?name=RenameNote")
            page.tab("entries")
            keys = page.js("return [...pigeon.facts.rows.values()].filter((row) => row.isOptimistic).map((row) => row.key)")
            if not keys:
                continue
            page.js("pigeon.open(arguments[0])", keys[-1])
            try:
                page.wait("layers", lambda: page.all("#panel-entries .layer"), 2)
            except AssertionError:
                continue
            page.js("document.querySelector('#panel-entries .layers').scrollIntoView()")
            page.picture("layers")
            return
        raise AssertionError("no optimistic entry was seen")

    def check_record_and_observers(self, page):
        page.open("settings")
        origin = lambda: page.js("return [...document.querySelectorAll('#panel-entries .panel dd')].map((dd) => dd.textContent)")
        page.wait("the record is read", lambda: "reading…" in origin())
        page.wait("the record", lambda: any(text.startswith("321 B, saved at ") and text.endswith("in SQLiteQueryCache") for text in origin()))
        page.keys(Keys.ESCAPE, "p")
        page.wait("paused", lambda: page.text("#connection") == "Paused")
        page.js("""
            const observers = [{ name: 'observer', place: 'Shop/CartView.swift:42', count: 3 }, { name: 'disabled observer', place: null }];
            const detail = { ...pigeon.facts.details.get('settings'), observers, record: null };
            pigeon.apply({ type: 'entry', client: 1, key: 'settings', detail }, 0);
            pigeon.open('settings');
        """)
        page.wait("the observers", lambda: page.all("#panel-entries [aria-label='4 observers']"))
        lines = page.js("return [...document.querySelectorAll('[aria-label=\"4 observers\"] li')].map((li) => [li.innerText.replace(/\\s+/g, ' '), li.querySelector('.mono')?.title ?? null])")
        assert lines == [["observer ×3 CartView.swift:42", "Shop/CartView.swift:42"], ["disabled observer", None]], lines
        assert not any("SQLiteQueryCache" in text for text in origin())

    def check_items(self, page):
        part = "#panel-entries [aria-label=Contains]"
        place = "#panel-entries [aria-label='Where User 2 stands']"
        selected = lambda: page.js("return [...document.querySelectorAll('[aria-label=Contains] .row.selected')].map((row) => row.textContent)")
        if self.is_mock:
            page.open("users")
            page.wait("its items", lambda: len(page.all(f"{part} .row")) == 3)
            assert page.text(f"{part} .facts") == "User3", page.text(f"{part} .facts")
            page.js("document.querySelector(arguments[0]).focus()", f"{part} .list")
            page.keys(Keys.ARROW_DOWN, Keys.ARROW_DOWN)
            page.wait("where it stands", lambda: "teams/3/members" in page.text(f"{place} .keys-found"))
            assert "users, this entry" in page.text(f"{place} .keys-found"), page.text(place)
            assert "The newest came from" in page.text(place), page.text(place)
            assert page.js("return document.activeElement.getAttribute('aria-label')") == "Items"
            page.check_labels("items")
            page.check_contrast("items")
            page.js("document.querySelector(arguments[0]).scrollIntoView()", part)
            page.picture("items")
            page.click("teams/3/members", place)
            page.wait("the other entry", lambda: page.text("#panel-entries .panel h2") == "teams/3/members")
            page.wait("the item in it", lambda: selected() == ["User2"] and "teams/3/members, this entry" in page.text(place))
            page.open("settings")
            page.wait("an entry without items", lambda: not page.all(part))
        # Many items, of which some are hidden, and some are behind.
        page.keys(Keys.ESCAPE, "p")
        page.wait("paused", lambda: page.text("#connection") == "Paused")
        page.js("""
            const items = [
                { type: 'Post', isPrivate: false, count: 9000, behind: 1, items: Array.from({ length: 200 }, (_, id) => ({ id: `${id}`, isBehind: id === 7 })) },
                { type: 'Card', isPrivate: true, count: 2, behind: 0, items: [] }];
            pigeon.apply({ type: 'entry', client: 1, key: 'settings', detail: { ...pigeon.facts.details.get('settings'), items } }, 0);
            pigeon.open('settings');
        """)
        page.wait("the types", lambda: [text.text for text in page.all(f"{part} dd")] == ["9,000 · 1 waits for a newer one · the first 200 are shown", "2 · private"])
        page.find(f"{part} input[type=search]").send_keys("post 7")
        page.wait("what matches", lambda: page.js("return document.querySelector('[aria-label=Contains] .list').getAttribute('aria-rowcount')") == "38")
        page.wait("its row", lambda: page.text(f"{part} .row:not([hidden])") == "Post7waits for a newer one")
        page.keys(Keys.ENTER, "j")
        page.wait("the selected item", lambda: selected() == ["Post7waits for a newer one"])
        page.js("""
            const entries = [{ key: 'settings', isBehind: true }, { key: 'feed', isBehind: false }];
            pigeon.apply({ type: 'item', client: 1, item: { type: 'Post', id: '7' }, count: 500, entries, origin: { key: 'feed', page: 3 } }, 0);
        """)
        page.wait("where it came from", lambda: "The newest came from feed, page 3." in page.text("#panel-entries [aria-label='Where Post 7 stands']"))
        lines = page.text("#panel-entries [aria-label='Where Post 7 stands']")
        assert "500 entries contain it, of which the first 2" in lines and "settings, this entrywaits for a newer one" in lines, lines

    # Other tabs

    def check_timeline(self, page):
        page.tab("timeline")
        time.sleep(4)
        canvas = page.find("#panel-timeline .chart canvas")
        length = "return pigeon.tabNamed('timeline').length"
        before = page.js(length)
        page.js("arguments[0].dispatchEvent(new WheelEvent('wheel', { deltaY: -300, bubbles: true, cancelable: true, clientX: 800, clientY: 300 }))", canvas)
        assert page.js(length) < before
        ActionChains(page.driver).move_to_element(canvas).click_and_hold().move_by_offset(-150, 0).release().perform()
        assert not page.js("return pigeon.tabNamed('timeline').isFollowing")
        page.click("Follow", "#panel-timeline")
        page.click("1 min", "#panel-timeline")
        time.sleep(0.5)
        x, y = page.js("""
            const tab = pigeon.tabNamed('timeline');
            const place = tab.lanes.findIndex((lane) => lane.isMutation && lane.spans.some((span) => span.end && span.start > tab.from));
            const span = tab.lanes[place].spans.find((span) => span.end && span.start > tab.from);
            const box = tab.canvas.getBoundingClientRect();
            return [box.left + (tab.x(span.start) + tab.x(span.end)) / 2, box.top + 26 + place * 28 + 12];
        """)
        box = canvas.rect
        ActionChains(page.driver).move_to_element_with_offset(canvas, x - box["x"] - box["width"] / 2, y - box["y"] - box["height"] / 2).click().perform()
        page.wait("the selection", lambda: "Mutation" in page.text("#panel-timeline .panel"))
        page.wait("what it caused", lambda: "What it caused" in page.text("#panel-timeline .panel"))
        page.click("Show as list", "#panel-timeline")
        page.wait("the log", lambda: page.find("#panel-log").is_displayed() and page.all("#panel-log .chip.on"))
        page.wait("only its events", lambda: " of " in page.text("#panel-log .total") and page.all("#panel-log .row"))

    def check_timeline_requests(self, page):
        page.tab("timeline")
        page.wait("events", lambda: page.js("return pigeon.facts.events.length > 0"))
        page.keys("p")
        page.wait("paused", lambda: page.text("#connection") == "Paused")
        # Requests of known times: one that fails, one with an answer, two of no entry. Each begins 10 s after the one before.
        page.js("""
            const tab = pigeon.tabNamed('timeline');
            // Off the round times of the day, where the axis draws its ticks over spans.
            const origin = pigeon.epoch(0);
            const now = Math.ceil((pigeon.now() + 20000 + origin) / 10000) * 10000 - origin + 3500;
            const request = (id, seconds, more) => ({ id, t: now + seconds * 1000, key: 'weather/lima', method: 'GET', url: 'https://example.org/lima', status: 200,
                bytes: 77, headMs: 4000, ms: 8000, error: null, curl: `curl ${id}`, ...more });
            pigeon.apply({ type: 'requests', client: 1, requests: [request(90001, 0, { status: 503, url: 'https://example.org/lost' }), request(90002, 10),
                request(90003, 20, { key: null, url: 'https://example.org/picture' }), request(90004, 24, { key: null })] }, 0);
            tab.setFollowing(false);
            tab.to = now + 40000;
            tab.length = 60000;
            // A history that is put in order anew does not lose them.
            pigeon.apply({ type: 'events', client: 1, events: pigeon.facts.events.slice(0, 1) }, 0);
            tab.lanesAt = -Infinity;
        """)
        lanes = "return pigeon.tabNamed('timeline').lanes.map((lane) => lane.name)"
        page.wait("both lanes", lambda: {"weather/lima", "requests"} <= set(page.js(lanes)))
        time.sleep(0.3)
        place = """
            const tab = pigeon.tabNamed('timeline');
            const span = tab.app.spans.requests.get(arguments[0]);
            const y = 26 + tab.lanes.indexOf(span.lane) * 28 + arguments[2];
            const x = tab.x(span.start + arguments[1] * 1000);
        """
        pixel = place + "return [...tab.context.getImageData(x, y, 1, 1).data.slice(0, 3)].join()"
        colour = "return pigeon.tabNamed('timeline').colours[arguments[0]].match(/\\d+/g).join()"
        good, bad = page.js(colour, "accent"), page.js(colour, "bad")
        assert page.js(pixel, 90001, 6, 23) == bad and page.js(pixel, 90002, 6, 23) == good, "the colours after the first byte"
        faint = [page.js(pixel, 90001, 2, 23), page.js(pixel, 90002, 2, 23)]
        assert len({*faint, good, bad}) == 4, ("two tones of two colours", faint)
        # Requests at the same time are in rows, where there are no spans.
        # The first of them is in the second row if a request of the mock was still in flight.
        rows = page.js("return [90003, 90004].map((id) => pigeon.spans.requests.get(id).row)")
        assert rows[0] != rows[1], rows
        colours = [page.js(pixel, id, 6, 5 + row * 6) for id, row in zip([90003, 90004], rows)]
        assert colours == [good, good], ("requests at the same time", rows, colours, good)
        page.picture("timeline-requests")
        canvas = page.find("#panel-timeline canvas")
        x, y = page.js(place + "return [x - tab.width / 2, y - tab.height / 2]", 90002, 6, 23)
        ActionChains(page.driver).move_to_element_with_offset(canvas, x, y).click().perform()
        panel = "#panel-timeline .panel"
        page.wait("the request", lambda: page.text(f"{panel} h2") == "GET /lima")
        text = page.text(panel)
        for part in ["https://example.org/lima", "Status200", "77 B", "First byteafter 4.0 s", "Took8.0 s", "weather/lima", "curl 90002"]:
            assert part in text, (part, text)
        assert page.button("Copy as curl", panel)
        for scheme in ["light", "dark"]:
            page.media(prefers_color_scheme=scheme)
            time.sleep(0.4)
            page.picture(f"timeline-request-{scheme}")
            page.check_contrast(scheme)
        # The keys step through requests as through spans.
        page.js("document.querySelector('#panel-timeline canvas').focus()")
        page.keys("b")
        page.wait("the request before", lambda: page.text(f"{panel} h2") == "GET /lost")
        assert "status 503" in page.text("#panel-timeline [role=status]")
        page.keys("n")
        page.wait("the request after", lambda: page.text(f"{panel} h2") == "GET /lima")
        page.keys(Keys.ENTER, Keys.TAB, Keys.TAB)
        page.wait("the link", lambda: page.js("return document.activeElement.textContent") == "Show in Requests")
        page.keys(Keys.ENTER)
        page.wait("the tab of requests", lambda: page.find("#panel-requests").is_displayed() and page.text("#panel-requests .panel h2") == "GET /lima")
        page.wait("its row", lambda: page.all("#panel-requests .row.selected"))
        page.find("#panel-requests input").send_keys("nothing like this")
        page.tab("timeline")
        page.click("Show as list", "#panel-timeline")
        page.wait("its row again", lambda: page.find("#panel-requests").is_displayed() and page.all("#panel-requests .row.selected"))

    def check_mutations(self, page):
        page.tab("mutations")
        page.wait("the outbox", lambda: page.all("#panel-mutations td button"))
        page.wait("a running one", lambda: page.all("#panel-mutations table[aria-label='Running mutations']"), 12)
        page.click_last("#panel-mutations button[aria-label^='Retry']")
        page.toast("tried again")
        page.click_last("#panel-mutations button[aria-label^='Discard']")
        page.click("Discard", "dialog")
        page.toast("discarded")

    def check_requests(self, page):
        page.tab("requests")
        page.wait("requests", lambda: len(page.all("#panel-requests .row")) > 2)
        page.click_row("#panel-requests .row", 2)
        page.wait("details", lambda: "curl" in page.text("#panel-requests .panel"))
        page.allow_copying()
        page.click("Copy as curl", "#panel-requests .panel")
        page.wait("copied", lambda: "Copied" in page.text("#panel-requests .panel"))
        page.picture("request")

    def check_log(self, page):
        page.tab("log")
        page.wait("events", lambda: len(page.all("#panel-log .row")) > 5)
        page.click("failures only", "#panel-log")
        page.wait("failures", lambda: all("failure" in row.get_attribute("class") for row in page.all("#panel-log .row")))
        page.click("failures only", "#panel-log")
        page.click("mutations", "#panel-log")
        page.wait("mutations", lambda: page.all("#panel-log .row") and all("g-mutations" in row.get_attribute("class") for row in page.all("#panel-log .row")))
        page.click("mutations", "#panel-log")
        page.find("#panel-log input").send_keys("fetching")
        page.wait("fetches", lambda: "of" in page.text("#panel-log .total"))
        page.click_row("#panel-log .row", 2)
        page.wait("details", lambda: "Causes" in page.text("#panel-log .panel"))
        page.click("Close", "#panel-log .panel")

    def check_client(self, page):
        page.tab("client")
        page.wait("counters", lambda: "Hit rate" in page.text("#panel-client"))
        page.wait("a preview", lambda: "Matches" in page.text("#panel-client"))
        Select(page.find("#panel-client select")).select_by_visible_text("Below a path")
        page.find("#panel-client input[type=text]").send_keys("weather")
        page.wait("what matches", lambda: "Matches 2 entries" in page.text("#panel-client"))
        page.picture("preview")
        page.click("Invalidate 2", "#panel-client")
        page.toast("2 entries invalidated")
        page.click("Memory pressure", "#panel-client")
        page.toast("evicted")
        page.click("Clear…", "#panel-client")
        page.click("Cancel", "dialog")
        page.click("Online")
        page.toast("offline")
        page.wait("off", lambda: page.button("Online").get_attribute("aria-pressed") == "false")
        page.click("Online")
        page.toast("online")
        page.click("Foreground")
        page.toast("background")
        page.click("Foreground")
        page.toast("foreground")
        select = page.find("#client")
        if select.is_displayed():
            Select(select).select_by_visible_text("PreviewClient 2")
            page.tab("entries")
            page.wait("the other client", lambda: page.text("#panel-entries .total").startswith("2"))

    def check_caches(self, page):
        page.tab("client")
        # In one step, because a tick can replace the table between two looks.
        cells = lambda: page.js("""
            const cells = [...document.querySelectorAll('#panel-client table[aria-label=Caches] :is(th, td)')];
            return cells.filter((cell) => cell.checkVisibility()).map((cell) => cell.innerText.trim());""")
        page.wait("the caches", lambda: len(cells()) == 15)
        assert cells()[:5] == ["Cache", "Records", "Size", "Oldest", "Newest"], cells()
        assert cells()[5:9] == ["SQLiteQueryCache", "118", "262 KB", "24 h"], cells()
        assert cells()[10:] == ["InMemoryQueryCache", "–", "–", "–", "–"], cells()
        seen = set()
        page.wait("ages that tick", lambda: seen.add(cells()[9]) or len(seen) > 2)
        box = "return document.querySelector('#panel-client .table-box')"
        assert page.js(f"{box}.scrollWidth <= {box[7:]}.clientWidth"), "the table is too wide"

    # The page itself

    def check_pause(self, page):
        page.tab("log")
        page.wait("events", lambda: len(page.all("#panel-log .row")) > 5)
        page.keys("p")
        page.wait("paused", lambda: page.text("#connection") == "Paused")
        time.sleep(0.3)
        before = page.text("#panel-log .total")
        time.sleep(3)
        assert page.text("#panel-log .total") == before
        page.keys("p")
        page.wait("more events", lambda: page.text("#panel-log .total") != before)

    def check_recording(self, page):
        page.open("weather/lima")
        time.sleep(3)
        page.js("""
            const make = URL.createObjectURL;
            URL.createObjectURL = (blob) => { blob.text().then((text) => { window.saved = text; }); return make.call(URL, blob); };
            HTMLAnchorElement.prototype.click = function () { window.savedName = this.download; };
        """)
        page.click("Save recording")
        page.toast("Recording saved")
        page.wait("the file", lambda: page.js("return window.saved"))
        assert page.js("return window.savedName").endswith(".pigeon")
        text = page.js("return window.saved")
        self.figures["recording of some seconds, KB"] = len(text) // 1000
        with tempfile.NamedTemporaryFile("w", suffix=".pigeon", delete=False) as file:
            file.write(text)
        page.find("input[type=file]").send_keys(file.name)
        page.wait("the banner", lambda: "Recording of demo from" in page.text("#player"))
        page.wait("its entries", lambda: page.all("#panel-entries .row"))
        page.open("weather/lima")
        page.wait("the entry", lambda: page.all("#panel-entries .panel .tree"))
        assert not page.button("Refetch", "#panel-entries .panel").is_enabled()
        page.picture("recording")
        page.js("const slider = document.querySelector('#player input'); slider.value = 100; slider.dispatchEvent(new Event('input'))")
        early = page.js("return pigeon.facts.events.length")
        page.click("Play", "#player")
        page.wait("time passes", lambda: page.js("return pigeon.player.position - pigeon.player.from") > 1000)
        page.click("Pause", "#player")
        page.js("const slider = document.querySelector('#player input'); slider.value = slider.max; slider.dispatchEvent(new Event('input'))")
        page.wait("more events", lambda: page.js("return pigeon.facts.events.length") > early)
        page.click("Back to live", "#player")
        page.wait("live", lambda: page.text("#connection") == "Connected" and page.all("#panel-entries .row"))
        page.find("input[type=file]").send_keys(str(FOLDER / "check.py"))
        page.toast("not a recording")
        page.js("""
            const data = new DataTransfer();
            data.items.add(new File([window.saved], 'dropped.pigeon'));
            document.body.dispatchEvent(new DragEvent('drop', { dataTransfer: data, bubbles: true, cancelable: true }));
        """)
        page.wait("the dropped recording", lambda: page.all("#player"))
        page.find("#player input").send_keys(Keys.HOME)
        page.wait("its beginning", lambda: page.js("return pigeon.player.position === pigeon.player.from"))
        page.find("#player input").send_keys(Keys.ARROW_RIGHT, Keys.END)
        page.wait("its end", lambda: page.js("return pigeon.player.position === pigeon.player.to"))
        for name in TABS:
            page.tab(name)
        page.click("Back to live", "#player")
        Path(file.name).unlink()

    def check_reload(self, page):
        page.driver.refresh()
        page.wait("a connection", lambda: page.text("#connection") == "Connected")
        page.wait("entries", lambda: page.all("#panel-entries .row"))

    def check_wrong_token(self, page):
        other = Page(f"{self.base}/?token=wrong", self.pictures)
        try:
            other.wait("the notice", lambda: "another run" in other.text("#notice") and other.all("#notice"))
            other.wait("the list", lambda: "Waiting for the program" in other.text("#panel-entries"))
            for name in ["timeline", "mutations", "log", "client"]:
                other.tab(name)
            other.picture("wrong-token")
            assert not other.button("Refetch", "#panel-client").is_enabled()
            errors = [error for error in other.problems() if "WebSocket" not in error["message"]]
            assert not errors, errors
        finally:
            other.close()

    def check_lost_connection(self, page):
        if not self.is_mock:
            return
        page.open("weather/berlin")
        self.tell("drop?ms=1800")
        page.wait("the notice", lambda: page.text("#connection") == "Disconnected" and page.all("#notice"))
        page.picture("lost")
        assert not page.button("Refetch", "#panel-entries .panel").is_enabled()
        start = time.monotonic()
        page.wait("a new connection", lambda: page.text("#connection") == "Connected", 10)
        self.figures["seconds until connected again after a loss of 1.8 s"] = round(time.monotonic() - start, 1)
        assert not page.all("#notice")
        page.click("Refetch", "#panel-entries .panel")
        page.toast("refetched")
        events = page.js("return pigeon.facts.events.map((event) => event.n)")
        assert len(events) == len(set(events)) and events == sorted(events)
        self.tell("restart")
        page.wait("the new run", lambda: page.text("#connection") == "Connected" and page.js("return pigeon.facts.events.length") < len(events), 10)
        page.wait("its entries", lambda: page.js("return pigeon.facts.rows.size") > 250)

    def check_clock(self, page):
        if self.manual is None:
            return
        other = Page(self.manual, self.pictures)
        try:
            other.tab("client")
            other.wait("the clock", lambda: other.button("Advance the clock"))
            now = other.js("return pigeon.now()")
            time.sleep(1)
            assert other.js("return pigeon.now()") == now
            other.click("Advance the clock")
            other.toast("advanced by 1000 ms")
            other.wait("the new time", lambda: other.js("return pigeon.now()") == now + 1000)
        finally:
            other.close()

    def check_clear(self, page):
        if self.manual is None:
            return
        other = Page(self.manual, self.pictures)
        try:
            other.tab("client")
            other.wait("entries", lambda: "Matches" in other.text("#panel-client"))
            other.click("Clear…", "#panel-client")
            other.click("Clear", "dialog")
            other.toast("cleared")
            other.tab("entries")
            other.wait("no entries", lambda: "has no entries" in other.text("#panel-entries"))
            other.picture("empty")
        finally:
            other.close()

    # A desk

    def tell_desk(self, *paths):
        for path in paths:
            assert self.tell(path, self.desk) is not None, path

    def start_desk(self, page, *programs):
        """Loads the page anew with programs at the desk, as if it had never been open."""
        self.tell_desk("leave", *(f"join?{program}" for program in programs))
        page.js("sessionStorage.removeItem('pigeon-program')")
        page.driver.refresh()
        page.wait("a connection", lambda: page.text("#connection") == "Connected")

    def joined(self, page, name):
        page.wait(f"{name} is joined", lambda: page.js(
            "return pigeon.connection.standing === 'open' && pigeon.facts.hello?.program.name === arguments[0] && pigeon.facts.rows.size > 0", name))
        page.wait(f"{name} is shown", lambda: page.text("#connection") == "Connected"
                  and page.js("return document.querySelector('#programs').selectedOptions[0]?.text ?? ''").startswith(f"{name} · pid "))

    def watch_status(self, page):
        """Notes everything that the status and the notice say from now on."""
        page.js("""
            window.said = [];
            const note = () => {
                said.push(document.querySelector('#connection').textContent);
                if (!document.querySelector('#notice').hidden) said.push(document.querySelector('#notice').textContent);
            };
            for (const id of ['connection', 'notice']) new MutationObserver(note).observe(document.getElementById(id), { childList: true, characterData: true, subtree: true, attributes: true });
        """)

    def recording(self):
        """A file with the recording of the desk."""
        self.tell_desk("recording?name=demo.pigeon")
        token = urlsplit(self.desk).query
        with urllib.request.urlopen(f"{base(self.desk)}/recording?{token}", timeout=5) as answer:
            text = answer.read()
        self.tell_desk("recording")
        with tempfile.NamedTemporaryFile("wb", suffix=".pigeon", delete=False) as file:
            file.write(text)
        return Path(file.name)

    def look_in_schemes(self, page, name):
        """Checks contrast and labels on a dark and a light page, and takes a picture of each."""
        for scheme in ["dark", "light"]:
            page.media(prefers_color_scheme=scheme)
            time.sleep(0.3)
            page.check_contrast(scheme)
            page.check_labels(scheme)
            page.picture(name if scheme == "light" else f"{name}-dark")

    def check_desk_empty(self, page):
        page.wait("the notice", lambda: page.all("#notice"))
        text = page.text("#notice")
        for part in ["No program is connected. Start one with PIGEON_DEVTOOLS=ws://… in its environment.", "ws://192.168.1.5:4775/?token=dial", "ws://[2001:"]:
            assert part in text, (part, text)
        assert not page.all("#programs") and not page.button("Save recording").is_enabled()
        page.allow_copying()
        page.click("Copy ws://192.168.1.5:4775/?token=dial")
        page.wait("the copy", lambda: "Copied" in page.text("#notice"))
        assert page.driver.execute_async_script("navigator.clipboard.readText().then(arguments[0])") == "ws://192.168.1.5:4775/?token=dial"
        page.wait("that it can be copied again", lambda: "Copied" not in page.text("#notice"))
        self.look_in_schemes(page, "desk-empty")
        reached = set()
        for _ in range(40):
            page.keys(Keys.TAB)
            reached.add(page.js("return document.activeElement.getAttribute('aria-label') ?? ''"))
        assert len([name for name in reached if name.startswith("Copy ws://")]) == 2, reached
        for name in TABS:
            if name != "requests":
                page.tab(name)
        page.size(480, 800)
        time.sleep(0.3)
        assert page.js("return document.documentElement.scrollWidth <= 480 && [...document.querySelectorAll('#notice *')].every((e) => e.getBoundingClientRect().right <= 480)")
        page.picture("desk-empty-narrow")
        page.size(1280, 800)
        self.tell_desk("join?name=Shop&pid=77")
        self.joined(page, "Shop")
        assert not page.all("#notice") and page.all("#programs")
        assert "Shop · pid 77 · 192.168.1." in page.text("#programs") and page.text("#program") == "iOS 26.1", "one program is listed too"

    def check_desk_programs(self, page):
        self.tell_desk("join?name=Shop&pid=77")
        self.joined(page, "Shop")
        page.open("weather/lima")
        self.watch_status(page)
        self.tell_desk("join?name=Cart&pid=78")
        page.wait("both programs", lambda: page.js("return document.querySelectorAll('#programs option').length") == 2)
        time.sleep(0.3)
        self.joined(page, "Shop")
        assert page.text("#panel-entries .panel h2") == "weather/lima", "a new program changes nothing"
        assert page.js("return pigeon.ring.items.every((item) => !item?.text.includes('token='))"), "no token of the desk is recorded"
        # The keys choose as the pointer does.
        for _ in range(30):
            page.keys(Keys.TAB)
            if page.js("return document.activeElement.id") == "programs":
                break
        page.keys(Keys.ARROW_DOWN)
        self.joined(page, "Cart")
        assert page.js("return document.activeElement.id") == "programs"
        assert page.js("return pigeon.openKey === null && pigeon.ring.items.every((item) => !item?.text.includes('\"Shop\"'))"), "what the page knows is of one program"
        said = page.js("return said")
        assert set(said) <= {"Connected", "Connecting…"}, said
        self.look_in_schemes(page, "desk")
        page.size(480, 800)
        time.sleep(0.3)
        assert page.js("return document.documentElement.scrollWidth <= 480")
        page.picture("desk-narrow")
        page.size(1280, 800)
        # The name is remembered, so a newer program does not take its place.
        self.tell_desk("join?name=Newest&pid=79")
        page.driver.refresh()
        self.joined(page, "Cart")
        Select(page.find("#programs")).select_by_index(0)
        self.joined(page, "Shop")

    def check_desk_leaves(self, page):
        self.start_desk(page, "name=Shop&pid=77", "name=Cart&pid=78")
        self.joined(page, "Cart")
        Select(page.find("#programs")).select_by_index(0)
        self.joined(page, "Shop")
        page.open("weather/lima")
        known = page.js("return pigeon.facts.rows.size")
        self.watch_status(page)
        self.tell_desk("leave?name=Shop")
        page.wait("the notice", lambda: page.all("#notice") and page.text("#notice") == "The program has left. What you see is what was last known.")
        time.sleep(0.5)
        assert page.text("#connection") == "Waiting for a program", "the page stays with what was chosen"
        assert page.js("return pigeon.facts.rows.size") == known and page.all("#panel-entries .panel .tree")
        assert not page.button("Refetch", "#panel-entries .panel").is_enabled()
        assert "Choose a program" in page.text("#programs")
        page.picture("desk-left")
        # A recording can be looked at meanwhile. What was last known is there again afterwards.
        file = self.recording()
        page.find("input[type=file]").send_keys(str(file))
        page.wait("the banner", lambda: "Recording of Recorded" in page.text("#player"))
        page.wait("its entries", lambda: page.js("return pigeon.facts.rows.size") == 30)
        assert not page.all("#notice") and not page.all("#programs")
        page.click("Back to live", "#player")
        page.wait("what was known", lambda: page.js("return pigeon.facts.rows.size") == known and page.all("#notice"))
        file.unlink()
        self.tell_desk("join?name=Shop&pid=97")
        self.joined(page, "Shop")
        page.wait("the new run", lambda: "pid 97" in page.text("#programs") and page.js("return pigeon.facts.hello.program.pid") == 97)
        assert not page.all("#notice")
        said = page.js("return said")
        assert "Disconnected" not in said, said

    def check_desk_same_run(self, page):
        self.start_desk(page, "name=Shop&pid=77")
        self.joined(page, "Shop")
        page.wait("events", lambda: page.js("return pigeon.facts.events.length > 0"))
        page.js("window.first = pigeon.ring.items[0]; window.restarts = 0; const { restart } = pigeon; pigeon.restart = function (...all) { restarts += 1; restart.apply(this, all); }")
        self.tell_desk("leave?name=Shop", "join?name=Shop&pid=77")
        self.joined(page, "Shop")
        assert page.js("return restarts === 0 && pigeon.ring.items[0] === first"), "the same run goes on"
        # A program on another device can have its pid.
        self.tell_desk("join?name=Other&pid=77")
        page.wait("both programs", lambda: page.js("return document.querySelectorAll('#programs option').length") == 2)
        Select(page.find("#programs")).select_by_index(1)
        self.joined(page, "Other")
        assert page.js("return restarts === 1 && pigeon.ring.items[0] !== first")

    def check_desk_newest(self, page):
        self.start_desk(page, "name=Shop&pid=77", "name=Cart&pid=78")
        self.joined(page, "Cart")
        # Nobody chose a program, so the page goes on with another one.
        self.tell_desk("leave?name=Cart")
        self.joined(page, "Shop")

    def check_desk_recording_without_program(self, page):
        file = self.recording()
        page.find("input[type=file]").send_keys(str(file))
        page.wait("the banner", lambda: "Recording of Recorded" in page.text("#player"))
        page.wait("its entries", lambda: page.all("#panel-entries .row"))
        assert page.text("#connection") == "Recording" and not page.all("#notice")
        page.tab("client")
        page.find("#player input").send_keys(Keys.HOME)
        page.wait("its beginning", lambda: page.js("return pigeon.facts.rows.size === 0 && pigeon.player.position === pigeon.player.from"))
        page.find("#player input").send_keys(Keys.END)
        page.wait("its end", lambda: page.js("return pigeon.facts.rows.size") == 30)
        page.tab("requests")
        page.click("Back to live", "#player")
        page.wait("the notice", lambda: page.text("#connection") == "Waiting for a program" and "No program is connected" in page.text("#notice") and page.all("#notice"))
        assert page.find("#tab-entries").get_attribute("aria-selected") == "true" and page.js("return pigeon.facts.rows.size === 0")
        assert page.driver.title == "Pigeon devtools" and not page.button("Save recording").is_enabled()
        page.js("""
            const data = new DataTransfer();
            data.items.add(new File([arguments[0]], 'dropped.pigeon'));
            document.body.dispatchEvent(new DragEvent('drop', { dataTransfer: data, bubbles: true, cancelable: true }));
        """, file.read_text())
        page.wait("the dropped recording", lambda: page.all("#player"))
        # A program that comes meanwhile is there on the way back.
        self.tell_desk("join?name=Shop&pid=77")
        time.sleep(0.5)
        assert page.text("#connection") == "Recording" and not page.all("#programs")
        page.click("Back to live", "#player")
        self.joined(page, "Shop")
        file.unlink()

    def check_desk_started_with_recording(self, page):
        self.tell_desk("recording?name=demo.pigeon")
        page.driver.refresh()
        page.wait("the banner", lambda: "Recording of Recorded" in page.text("#player") and page.all("#player"))
        page.wait("its entries", lambda: page.all("#panel-entries .row"))
        page.click("Back to live", "#player")
        self.tell_desk("join?name=Shop&pid=77")
        self.joined(page, "Shop")
        time.sleep(0.5)
        assert not page.all("#player"), "it is played once"
        self.tell_desk("recording?name=damaged.pigeon")
        page.driver.refresh()
        page.toast("damaged.pigeon cannot be opened. This is not a recording")
        self.joined(page, "Shop")

    def check_desk_lost_connection(self, page):
        self.start_desk(page, "name=Shop&pid=77", "name=Cart&pid=78")
        Select(page.find("#programs")).select_by_index(0)
        self.joined(page, "Shop")
        self.tell_desk("drop?ms=300")
        page.wait("the notice", lambda: page.text("#connection") == "Disconnected" and "was lost" in page.text("#notice"))
        self.joined(page, "Shop")
        assert not page.all("#notice")

    def check_two_browsers(self, page):
        other = Page(self.address, self.pictures)
        try:
            other.wait("a connection", lambda: other.text("#connection") == "Connected")
            page.open("settings")
            other.open("settings")
            page.click("Hang", "#panel-entries .panel")
            other.wait("the fault", lambda: other.button("Hang", "#panel-entries .panel").get_attribute("aria-pressed") == "true")
            other.click("Normal", "#panel-entries .panel")
            page.wait("no fault", lambda: page.button("Normal", "#panel-entries .panel").get_attribute("aria-pressed") == "true")
            assert not other.problems()
        finally:
            other.close()

    def check_motion(self, page):
        page.media(prefers_reduced_motion="reduce")
        assert page.js("return [...document.querySelectorAll('.dot')].every((dot) => getComputedStyle(dot).animationName === 'none')")

    def check_text_is_not_markup(self, page):
        page.open("search/release <script>alert(1)</script>")
        assert page.js("return document.querySelectorAll('main script').length") == 0

    def check_100000_entries(self, page):
        paint = page.js("return performance.getEntriesByType('paint').map((entry) => [entry.name, Math.round(entry.startTime)])")
        page.wait("all entries", lambda: "100,0" in page.text("#panel-entries .total"), 30)
        self.figures["100,000 entries: paints, ms"] = dict(paint)
        first = page.js("return Math.round(window.firstRows - window.firstChunk)")
        self.figures["100,000 entries: first rows, ms after the first chunk"] = first
        self.figures["100,000 entries: tasks over 50 ms while loading"] = page.js("return longTasks.splice(0)")
        page.click("Flat")
        page.wait("flat rows", lambda: page.js("return pigeon.index.items.length") >= 100000)
        page.js("longTasks.splice(0)")
        page.js("""
            window.isDone = false;
            window.mostRows = 0;
            const scroller = document.querySelector('#panel-entries .scroller');
            let frames = 0;
            const step = () => {
                window.mostRows = Math.max(window.mostRows, scroller.querySelectorAll('.row').length);
                scroller.scrollTop += scroller.scrollHeight / 170;
                if (++frames < 150) requestAnimationFrame(step);
                else window.isDone = true;
            };
            const start = performance.now();
            requestAnimationFrame(step);
            window.frameTime = () => (performance.now() - start) / frames;
        """)
        page.wait("the end of the scroll", lambda: page.js("return window.isDone"), 30)
        self.figures["100,000 entries: tasks over 50 ms while scrolling 150 frames"] = page.js("return longTasks.splice(0)")
        rows = page.js("return window.mostRows")
        self.figures["100,000 entries: most rows on the page while scrolling"] = rows
        page.find("#panel-entries input[type=search]").send_keys("users/99")
        page.wait("what matches", lambda: " of 100,0" in page.text("#panel-entries .total"), 10)
        page.find("#panel-entries input[type=search]").send_keys(Keys.CONTROL, "a", Keys.DELETE)
        page.click("Size", "#panel-entries .head")
        page.wait("sorted", lambda: page.js("return pigeon.index.sort.by === 'size' && pigeon.index.items.length >= 100000"), 10)
        self.figures["100,000 entries: tasks over 50 ms while searching and sorting"] = page.js("return longTasks.splice(0)")
        time.sleep(4)
        self.figures["100,000 entries: tasks over 50 ms in 4 s of changes"] = page.js("return longTasks.splice(0)")
        page.picture("100000")
        assert first < 1000, first
        # However many entries there are, only those in view have rows.
        assert 10 < rows < 200, rows


def described(error):
    """Where a check failed, and why."""
    frames = traceback.extract_tb(error.__traceback__)
    places = [f"{Path(frame.filename).name}:{frame.lineno}" for frame in frames if Path(frame.filename).resolve().parent == FOLDER]
    return f"{' > '.join(places)}: {type(error).__name__} {str(error)[:600]}"


def start_mock(*arguments):
    process = subprocess.Popen(["node", str(FOLDER / "mock-server.mjs"), *arguments], stdout=subprocess.PIPE, text=True)
    return process, process.stdout.readline().strip()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("address", nargs="?")
    parser.add_argument("--big", help="address of a server with 100,000 entries")
    parser.add_argument("--manual", help="address of a server whose clock can be advanced; its client is cleared")
    parser.add_argument("--desk", help="address of a mock that plays a desk")
    parser.add_argument("--pictures", default=str(Path(tempfile.gettempdir()) / "devtools-page"))
    parser.add_argument("--only", help="part of the name of a check")
    arguments = parser.parse_args()
    mocks = []
    try:
        if arguments.address is None:
            for options in [["--port", "8123"], ["--port", "8124", "--entries", "100000"], ["--port", "8125", "--can-advance"], ["--port", "8126", "--entries", "60", "--desk"]]:
                mocks.append(start_mock(*options))
            arguments.address = mocks[0][1]
            arguments.big = arguments.big or mocks[1][1]
            arguments.manual = arguments.manual or mocks[2][1]
            arguments.desk = arguments.desk or mocks[3][1]
        return Checks(arguments).run(arguments.only)
    finally:
        for process, _ in mocks:
            process.terminate()
            process.wait(10)


if __name__ == "__main__":
    sys.exit(main())
