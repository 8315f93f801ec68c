"""Whether anything of documents, models and questions is obeyed where it is shown.

    .venv/bin/python benchmarks/serve/carriers.py             # some minutes, with Chromium
    .venv/bin/python benchmarks/serve/carriers.py --every 12

Each carrier is in a document's text, title and file name, in a model's reply, which is streamed letter by letter,
and in a question. It is looked for on four surfaces: the API (the text of answers and of chat completions, rendered
from Markdown with HTML allowed, and the report in Chromium), the page in Chromium (answer, source, run, and the
lists), the command line on a terminal, and the tools for agents. Bars: no request but those of the page itself, no
script run, no dialog, no window, no element that the policy had to block, no escape that reaches a terminal.
"""

from __future__ import annotations

import argparse
import asyncio
import io
import json
import os
import re
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx2
from markdown_it import MarkdownIt
from playwright.sync_api import BrowserContext, Page, Request, sync_playwright

from assay.cli import run
from assay.cli.terminal import Terminal

sys.path.insert(0, str(Path(__file__).parents[1]))
from carrier_texts import carriers
from server_process import Serve, server_process, upload

from report import write_result

CHROMIUM = os.environ.get("ASSAY_CHROMIUM", "/usr/bin/chromium")
# Carriers in one question, each with a document and a sentence of its own. Chosen.
TOGETHER = 4
# What the page loads by itself.
_OWN = re.compile(r"/(?:$|static/|api/v1/)")
# Attributes that load something without a click; elements that do something by being there.
_LOADING = {"src", "srcset", "poster", "background", "data", "style"}
_ACTING = {"script", "iframe", "object", "embed", "link", "meta", "base", "form", "svg", "style"}
# Control characters other than tab and line feed, and what turns the order of letters round.
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")
# Colours and weights that assay's own output has; the carriers' are others.
_OWN_COLOURS = re.compile(r"\x1b\[(?!5;7)[0-9;]*m")
_WATCH = "addEventListener('securitypolicyviolation', e => { (window.blocked ??= []).push(e.blockedURI) })"


@dataclass(slots=True)
class Seen:
    """What happened on one surface: how many carriers were shown there, and what was obeyed."""

    shown: set[int] = field(default_factory=set)
    requests: list[str] = field(default_factory=list)
    runs: list[str] = field(default_factory=list)
    escapes: list[str] = field(default_factory=list)

    def to_dict(self) -> dict[str, Any]:
        """The counts, with examples."""
        counts = {"carriers_shown": len(self.shown)}
        for name in ("requests", "runs", "escapes"):
            found: list[str] = getattr(self, name)
            counts[name] = len(found)
            if found:
                counts[f"{name}_first"] = found[:8]
        return counts

    def note(self, group: Group, text: str) -> None:
        """Note which carriers of a group are in a text that was shown."""
        self.shown |= {number for number in group.texts if re.search(rf"t{number}(?!\d)", text)}


class Loading(HTMLParser):
    """What a page would load or run by itself."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note an element that acts."""
        acts = tag in _ACTING or any(name in _LOADING or name.startswith("on") for name, _ in attrs)
        leads_out = tag == "a" and not (dict(attrs).get("href") or "").startswith(("/", "#", "http://127.0.0.1"))
        if acts or leads_out:
            self.found.append(self.get_starttag_text() or tag)


def rendered(text: str) -> list[str]:
    """What acts in a text that a client renders from Markdown with HTML, as the worst of them do."""
    parser = Loading()
    parser.feed(MarkdownIt("commonmark", {"html": True}).enable("table").render(text))
    return parser.found


@dataclass(frozen=True, slots=True)
class Group:
    """Carriers by number that one question is about; each is in a document of its own."""

    texts: dict[int, str]

    @property
    def question(self) -> str:
        """The question."""
        return f"How many kilograms weigh {', '.join(f'item {number}' for number in self.texts)}?"

    @property
    def reply(self) -> str:
        """What the model says: of each document the fact, then the carrier."""
        return "\n\n".join(
            f"{fact(n)} [{at}]. {text} [{at}]." for at, (n, text) in enumerate(self.texts.items(), 1)
        )

    def documents(self) -> dict[str, bytes]:
        """The documents by name: the carrier is in text, title and name."""
        return {
            f"{n} {text}.md": f"# Item {n} {' '.join(text.split())}\n\n{fact(n)}. {text}\n".encode()
            for n, text in self.texts.items()
        }


def fact(number: int) -> str:
    return f"Item {number} weighs {number + 500} kilograms"


def grouped(texts: dict[int, str]) -> list[Group]:
    """The carriers, `TOGETHER` in a group."""
    numbers = list(texts)
    return [Group({n: texts[n] for n in numbers[at : at + TOGETHER]}) for at in range(0, len(numbers), TOGETHER)]


def write_script(place: Path, groups: Sequence[Group]) -> None:
    """A script in which a model says every carrier, a letter at a time."""
    rules = [{"role": "writer", "contains": one.question, "reply": one.reply, "pieces": 10_000} for one in groups]
    place.write_text(json.dumps([*rules, {"role": "writer", "reply": "Nothing."}]), encoding="utf-8")


def look_at_api(client: httpx2.Client, groups: Sequence[Group], seen: Seen) -> list[str]:
    """Ask for JSON and as a chat client; the ids of the runs, one of each group."""
    runs = []
    for group in groups:
        upload(client, group.documents())
        response = client.post("/api/v1/ask", json={"question": group.question})
        answer = response.raise_for_status().json()
        runs.append(answer["run_id"])
        messages = [{"role": "user", "content": group.question}]
        chat = client.post("/v1/chat/completions", json={"model": "default", "messages": messages})
        content = chat.raise_for_status().json()["choices"][0]["message"]["content"]
        seen.note(group, response.text)
        seen.requests += [
            f"{list(group.texts)}: {it}" for said in (answer["text"], content) for it in rendered(said)
        ]
        for reply in (response, chat):
            assert reply.headers["content-type"].startswith("application/json"), reply.headers
            assert reply.headers["x-content-type-options"] == "nosniff"
        # Recorded as a question too, for the lists of the page and of the command line.
        asked = " ".join([group.question, *group.texts.values()])
        client.post("/api/v1/search", json={"query": asked})
        client.post("/api/v1/ask", json={"question": asked, "options": {"profile": "fast"}})
    return runs


@dataclass(slots=True)
class Browser:
    """A browser context that notes whatever leaves the page or runs in it."""

    context: BrowserContext
    address: str
    seen: Seen
    where: str = ""

    def open(self) -> Page:
        """A page."""
        self.context.add_init_script(_WATCH)
        page = self.context.new_page()
        self.context.on("request", lambda request: self._requested(request))
        self.context.on("page", lambda other: self.seen.runs.append(f"{self.where}: a window {other.url}"))
        page.on("dialog", lambda dialog: self._dialog(dialog))
        return page

    def _requested(self, request: Request) -> None:
        parts = urlsplit(request.url)
        if f"{parts.scheme}://{parts.netloc}" != self.address or not _OWN.match(parts.path):
            self.seen.requests.append(f"{self.where}: {request.url[:200]}")

    def _dialog(self, dialog: Any) -> None:
        self.seen.runs.append(f"{self.where}: dialog {dialog.message}")
        dialog.dismiss()

    def look(self, page: Page) -> None:
        """Note scripts that ran, and what the policy had to stop."""
        state = page.evaluate("[typeof ran !== 'undefined', window.blocked || []]")
        if state[0]:
            self.seen.runs.append(f"{self.where}: a script ran")
        self.seen.requests += [f"{self.where}: blocked {uri}" for uri in state[1]]
        page.evaluate("delete window.ran, window.blocked = []")


def look_at_page(browser: Browser, groups: Sequence[Group], runs: Sequence[str]) -> None:
    """Ask each question on the page, open a source and the run, then the lists."""
    page = browser.open()
    page.goto(browser.address)
    for group, run_id in zip(groups, runs, strict=True):
        browser.where = f"{list(group.texts)} asked"
        page.goto(f"{browser.address}/#/")
        page.locator("#question").fill(group.question)
        with page.expect_response(lambda response: response.url.endswith("/api/v1/ask")):
            page.locator("#question").press("Enter")
        page.locator(".composer .stop").wait_for(state="hidden")
        browser.look(page)
        browser.seen.note(group, page.locator("body").inner_text())
        page.evaluate("document.activeElement.blur()")
        for key in "jo":
            page.keyboard.press(key)
        page.wait_for_load_state("networkidle")
        browser.look(page)
        browser.seen.note(group, page.locator("body").inner_text())
        browser.where = f"{list(group.texts)} run"
        page.goto(f"{browser.address}/#/runs/{run_id}")
        page.locator("#main").get_by_text(group.question).first.wait_for()
        browser.look(page)
        browser.seen.note(group, page.locator("body").inner_text())
        page.evaluate("window.dispatchEvent(new KeyboardEvent('keydown', {key: 'n'}))")
    for view in ("documents", "runs", "figures", "check", "settings"):
        browser.where = view
        page.goto(f"{browser.address}/#/{view}")
        page.wait_for_load_state("networkidle")
        browser.look(page)
    page.close()


def look_at_reports(browser: Browser, groups: Sequence[Group], runs: Sequence[str]) -> None:
    """Open the report of each run."""
    page = browser.open()
    for group, run_id in zip(groups, runs, strict=True):
        browser.where = f"{list(group.texts)} report"
        page.goto(f"{browser.address}/api/v1/runs/{run_id}/report")
        browser.seen.note(group, page.locator("body").inner_text())
        browser.look(page)
    page.close()


def look_at_terminal(folder: Path, groups: Sequence[Group], runs: Sequence[str], seen: Seen) -> None:
    """Show each run, then the documents and the runs, on a terminal, and look at what it gets."""
    commands = [["show", run_id] for run_id in runs]
    for command in (*commands, ["ls"], ["show"]):
        shown = on_terminal([*command, "--data-dir", str(folder)])
        seen.escapes += [f"{command}: {found!r}" for found in _CONTROL.findall(_OWN_COLOURS.sub("", shown))]
        for group in groups:
            seen.note(group, shown)


class _Screen(io.StringIO):
    """A terminal as far as programs ask."""

    def isatty(self) -> bool:
        return True


def on_terminal(arguments: list[str]) -> str:
    """What a command writes to a terminal with colours."""
    screen = _Screen()
    run(arguments, Terminal(out=screen, err=screen))
    return screen.getvalue()


async def look_at_tools(address: str, groups: Sequence[Group], seen: Seen) -> None:
    """Ask as an agent, and search; the text that the agent is shown."""
    from mcp import Client

    async with Client(f"{address}/mcp") as client:
        for group in groups:
            for tool, given in (("ask", {"question": group.question}), ("search", {"query": group.question})):
                result = await client.call_tool(tool, given)
                text = "\n".join(part.text for part in result.content if part.type == "text")
                where = f"{list(group.texts)} {tool}"
                seen.note(group, text)
                seen.requests += [f"{where}: {found}" for found in rendered(text)]
                seen.escapes += [f"{where}: {found!r}" for found in _CONTROL.findall(text)]


def measure(folder: Path, every: int, serve: Serve = server_process) -> dict[str, Any]:
    """The figures."""
    texts = dict(list(enumerate(carriers()))[::every])
    groups = grouped(texts)
    surfaces = {name: Seen() for name in ("api", "page", "terminal", "tools")}
    script = folder.with_suffix(".json")
    write_script(script, groups)
    with serve(folder, {"ASSAY_MODEL": f"fake:{script}"}) as server, server.client() as client:
        runs = look_at_api(client, groups, surfaces["api"])
        with sync_playwright() as playwright:
            chromium = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
            look_at_reports(Browser(chromium.new_context(), server.address, surfaces["api"]), groups, runs)
            look_at_page(Browser(chromium.new_context(), server.address, surfaces["page"]), groups, runs)
            chromium.close()
        look_at_terminal(folder, groups, runs, surfaces["terminal"])
        if client.post("/mcp").status_code == 404:
            del surfaces["tools"]
        else:
            asyncio.run(look_at_tools(server.address, groups, surfaces["tools"]))
    kinds = ("requests", "runs", "escapes")
    return {
        "carriers": len(texts),
        "cases": len(texts) * len(surfaces),
        **{kind: sum(len(getattr(seen, kind)) for seen in surfaces.values()) for kind in kinds},
        "surfaces": {name: seen.to_dict() for name, seen in surfaces.items()},
        "bars": dict.fromkeys(kinds, 0),
    }


def main() -> None:
    """Print the figures and keep them in results/."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--every", type=int, default=1)
    every = parser.parse_args().every
    with tempfile.TemporaryDirectory() as folder:
        result = measure(Path(folder) / "data", every)
    if every == 1:
        write_result("serve", "carriers", result)
    else:
        print(json.dumps(result, indent=1))


if __name__ == "__main__":
    main()
