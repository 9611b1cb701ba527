"""The course as its user meets it: start.py's JupyterLab, and a tab of a real browser on it."""

import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil

ROOT = Path(__file__).resolve().parent.parent
_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
BROWSER = next(filter(None, map(shutil.which, _NAMES)), None)
NO_BROWSER = f"needs a browser on the PATH, one of {', '.join(_NAMES)}, and links as POSIX has them"
_SIZE = {"width": 1280, "height": 1000}

_OPEN = "jupyterapp.shell.currentWidget"
# The page shows a kernel at rest before there is one, and Run All then asks which to use, for
# ever. The session itself knows.
_READY = """path => {
    const page = window.jupyterapp?.shell?.currentWidget;
    return page?.context?.isReady && page.context.path === path && page.sessionContext?.isReady
        && page.sessionContext.session?.kernel?.status === 'idle'; }"""
_BEGIN = """argument => {{
    const turn = window.turn = (window.turn ?? 0) + 1;  // a run that is broken off ends, too
    window.finished = false;
    ({action})(argument).then(() => {{ window.finished ||= window.turn === turn; }}); }}"""
_COMMAND = "([name, options]) => jupyterapp.commands.execute(name, options)"
_CLOSE = f"""async () => {{
    const page = {_OPEN};
    await page.context.save();
    await page.sessionContext.shutdown();
    page.dispose(); }}"""
_CODE_CELLS = f"""() => {_OPEN}.content.widgets.filter(cell => cell.model.type === 'code').map(
    cell => ({{id: cell.model.sharedModel.id, execution_count: cell.model.executionCount,
              outputs: cell.model.outputs.toJSON()}}))"""
_LAST = f"{_OPEN}.content.widgets.at(-1).node"
# What of a lesson is drawn, seen from its top: JupyterLab scrolls to the cell that ran last.
_SHOWN = f"""() => {{
    {_OPEN}.content.outerNode.scrollTop = 0;
    {_OPEN}.content.update();
    const cells = {_OPEN}.content.widgets.filter(
        cell => !cell.node.isConnected || cell.node.getBoundingClientRect().bottom <= 0);
    const drawn = [...document.querySelectorAll('.jp-OutputArea-output img')].filter(
        image => image.complete && image.naturalWidth > 100 && image.width > 100);
    return {{missing: cells.map(cell => cell.model.sharedModel.id), figures: drawn.length,
             end: {_LAST}.getBoundingClientRect().bottom}}; }}"""


def copy_course(folder: Path) -> Path:
    """A copy that start.py takes for installed: its `.venv` is the Python that runs the tests.

    What the browser saves stays in there, and so does the search for a `.env`.
    """
    sys.path.insert(0, str(ROOT))
    from start import stamp

    for name in ("notebooks", "lab_settings"):
        shutil.copytree(ROOT / name, folder / name)
    for name in ("start.py", "requirements.txt", "pyproject.toml"):
        shutil.copy(ROOT / name, folder)
    (folder / ".env").touch()
    (folder / ".venv").mkdir()
    for part in Path(sys.prefix).iterdir():
        if part.name != "memora-ready":
            (folder / ".venv" / part.name).symlink_to(part)
    (folder / ".venv" / "memora-ready").write_text("\n".join(stamp(folder, False)), "ascii")
    return folder


class Server:
    """What `python start.py` starts, and the address with a token that it prints."""

    def __init__(self, course: Path) -> None:
        self._log = course / "server.log"
        ours = ("OPENAI_", "MEMORA_", "JUPYTER")
        environment = {k: v for k, v in os.environ.items() if not k.startswith(ours)}
        for name in ("JUPYTER_CONFIG", "JUPYTER_RUNTIME", "IPYTHON"):
            environment[f"{name}_DIR".replace("IPYTHON_", "IPYTHON")] = str(course / name)
        for name in ("JUPYTERLAB_SETTINGS", "JUPYTERLAB_WORKSPACES"):
            environment[f"{name}_DIR"] = str(course / name)
        command = [sys.executable, course / "start.py", "--lang", "en", "--no-browser"]
        with self._log.open("wb") as log:
            self._process = subprocess.Popen(
                [*command, "--LabApp.expose_app_in_browser=True"],
                env=environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
            )  # fmt: skip
        self.address, self.token = self._wait_for_address()

    def _wait_for_address(self) -> tuple[str, str]:
        end = time.monotonic() + 60
        while time.monotonic() < end and self._process.poll() is None:
            found = re.search(r"(http://127\.0\.0\.1:\d+/\S*)\?token=(\w+)", self.log())
            if found:
                return found[1], found[2]
            time.sleep(0.1)
        raise AssertionError(f"no address was printed: {self.log()}")

    def log(self) -> str:
        return self._log.read_text("utf-8")

    def listening_on(self) -> set[str]:
        """The addresses at which it and its kernels can be reached."""
        process = psutil.Process(self._process.pid)
        everyone = [process, *process.children(recursive=True)]
        sockets = [one for each in everyone for one in each.net_connections("inet")]
        return {one.laddr.ip for one in sockets if one.status == psutil.CONN_LISTEN}

    def stop(self) -> None:
        self._process.terminate()
        self._process.wait(30)


@contextmanager
def browser_context(fonts_in: Path) -> Iterator[object]:
    """A browser of its own, with a Chinese font: a bare machine has none."""
    import pylopdf_fonts_zh_tw
    from playwright.sync_api import sync_playwright

    (fonts_in / "fonts").mkdir(parents=True)
    shutil.copy(pylopdf_fonts_zh_tw.sans_path(), fonts_in / "fonts")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=BROWSER, env={**os.environ, "XDG_DATA_HOME": str(fonts_in)}
        )
        yield browser.new_context(viewport=_SIZE)
        browser.close()


class Tab:
    """A tab of the browser with JupyterLab in it, at most one lesson open at a time."""

    def __init__(self, context: object, server: Server, path: str = "") -> None:
        self.page = context.new_page()
        self.errors: list[str] = []
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        first, self.path = server.address.split("/lab/tree/")
        self.path = path or self.path
        self.page.goto(f"{first}/lab/tree/{self.path}?token={server.token}&reset", timeout=60_000)
        self.wait_until_ready()

    def wait_until_ready(self) -> None:
        self.page.wait_for_function(_READY, arg=self.path, timeout=90_000)

    def open(self, path: str) -> None:
        """Open a lesson in place of the one that is open, with no outputs."""
        self.close()
        self.path = path
        self.start("docmanager:open", path=path)
        self.wait_until_ready()
        self.start("notebook:clear-all-cell-outputs")
        self.wait_until_done()

    def close(self) -> None:
        """Save the lesson that is open, end its kernel, take it away."""
        self.page.set_viewport_size(_SIZE)
        self.page.evaluate(_BEGIN.format(action=_CLOSE), None)
        self.wait_until_done()

    def start(self, command: str, **options: str) -> None:
        """Start a command of JupyterLab's; nothing here waits without an end."""
        self.page.evaluate(_BEGIN.format(action=_COMMAND), [command, options])

    def wait_until_done(self) -> None:
        self.page.wait_for_function("window.finished", timeout=240_000)

    def wait_until_some_ran(self, count: int) -> None:
        ran = f"({_CODE_CELLS})().filter(cell => cell.execution_count).length"
        self.page.wait_for_function(f"{ran} >= {count}")

    def code_cells(self) -> list[dict]:
        return self.page.evaluate(_CODE_CELLS)

    def show_all(self, figures: int) -> None:
        """Make room for the whole lesson, as JupyterLab draws the cells in sight alone; wait
        until all cells and so many figures are drawn, each of these at a size to be read."""
        self.page.bring_to_front()
        self.page.set_viewport_size({"width": _SIZE["width"], "height": 24_000})
        limit, before = time.monotonic() + 30, None
        # At first it guesses the heights of the cells: the end must have come to rest.
        while (now := self.page.evaluate(_SHOWN)) != before or now["missing"]:
            assert time.monotonic() < limit, now
            before = now
            self.page.wait_for_timeout(300)
        assert now["figures"] == figures

    def shoot(self, path: Path) -> None:
        """A picture of the page from its top to the end of the lesson."""
        end = self.page.evaluate(_SHOWN)["end"]
        clip = {"x": 0, "y": 0, "width": _SIZE["width"], "height": end + 20}
        self.page.screenshot(path=path, clip=clip)

    def pop_ups(self) -> list[str]:
        return self.page.locator(".Toastify__toast, .jp-Dialog").all_inner_texts()
