"""A headless Chromium, driven through chromedriver's HTTP interface (W3C WebDriver): just what the tests need."""

from __future__ import annotations

import base64
import json
import re
import shutil
import subprocess
import tempfile
import urllib.error
import urllib.request
from pathlib import Path
from types import TracebackType
from typing import Any

CHROMIUM = next(
    (found for name in ("chromium", "chromium-browser", "google-chrome") if (found := shutil.which(name))), None
)
DRIVER = shutil.which("chromedriver")
MISSING = "needs Chromium and chromedriver (Debian: apt-get install chromium chromium-driver)"


class Browser:
    """A context manager; one window."""

    def __init__(self) -> None:
        assert CHROMIUM
        assert DRIVER
        self.folder = tempfile.TemporaryDirectory()
        self.driver = subprocess.Popen(
            [DRIVER, "--port=0"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, cwd=self.folder.name
        )
        try:
            self.address = f"http://127.0.0.1:{self._port()}"
            options = {
                "binary": CHROMIUM,
                "args": [
                    "--headless",
                    "--no-sandbox",
                    "--disable-gpu",
                    "--hide-scrollbars",
                    "--force-device-scale-factor=1",
                    "--no-first-run",
                    "--disable-background-networking",
                    f"--user-data-dir={self.folder.name}/profile",
                ],
            }
            wanted = {"browserName": "chrome", "goog:chromeOptions": options, "goog:loggingPrefs": {"browser": "ALL"}}
            session = self._ask("POST", "/session", {"capabilities": {"alwaysMatch": wanted}})
            self.address += f"/session/{session['sessionId']}"
        except BaseException:
            self.close()
            raise

    def _port(self) -> int:
        assert self.driver.stdout is not None
        for line in self.driver.stdout:
            if match := re.search(r"started successfully on port (\d+)", line):
                return int(match[1])
        raise RuntimeError("chromedriver did not start")

    def _ask(self, method: str, path: str, body: Any = None) -> Any:
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.address + path, data, {"Content-Type": "application/json"}, method=method)
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        try:
            with opener.open(request, timeout=60) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            raise RuntimeError(json.load(error)["value"]["message"]) from None

    def _devtools(self, command: str, **params: Any) -> Any:
        return self._ask("POST", "/goog/cdp/execute", {"cmd": command, "params": params})

    def show(self, page: bytes, *, width: int = 1000, height: int = 800, dark: bool = False) -> None:
        """Open a page in a window of that size (CSS pixels)."""
        path = Path(self.folder.name) / "page.html"
        path.write_bytes(page)
        self._devtools(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False
        )
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self._devtools("Emulation.setEmulatedMedia", features=[scheme])
        self._ask("POST", "/url", {"url": path.as_uri()})

    def run(self, script: str, *arguments: Any) -> Any:
        """What a JavaScript function body returns."""
        return self._ask("POST", "/execute/sync", {"script": script, "args": list(arguments)})

    def tab(self) -> Any:
        """Press Tab; where the focus is then: the element's tag and text."""
        press = [{"type": kind, "value": "\ue004"} for kind in ("keyDown", "keyUp")]
        self._ask("POST", "/actions", {"actions": [{"type": "key", "id": "keys", "actions": press}]})
        return self.run("const e = document.activeElement; return [e.tagName, e.textContent.trim().slice(0, 40)]")

    def console(self) -> list[str]:
        """What was written to the console since the last call: errors, warnings, refused loads."""
        return [each["message"] for each in self._ask("POST", "/se/log", {"type": "browser"})]

    def accessible(self) -> list[tuple[str, str]]:
        """Role and name of everything in the accessibility tree that is not ignored."""
        nodes = self._devtools("Accessibility.getFullAXTree")["nodes"]
        return [
            (each.get("role", {}).get("value", ""), each.get("name", {}).get("value", ""))
            for each in nodes
            if not each.get("ignored")
        ]

    def picture(self) -> bytes:
        """The whole page as PNG."""
        data = self._devtools("Page.captureScreenshot", format="png", captureBeyondViewport=True)
        return base64.b64decode(data["data"])

    def __enter__(self) -> Browser:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        try:
            if "/session/" in getattr(self, "address", ""):
                self._ask("DELETE", "")
        finally:
            self.driver.terminate()
            self.driver.wait(timeout=30)
            if self.driver.stdout is not None:
                self.driver.stdout.close()
            self.folder.cleanup()
