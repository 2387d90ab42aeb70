"""A real browser: Chromium, driven by selenium, with methods for what tests do."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

FLAGS = (
    "--headless=new",
    "--no-sandbox",
    "--no-first-run",
    "--disable-gpu",
    "--disable-quic",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
    "--disable-extensions",
    "--disable-software-rasterizer",
    "--disable-smooth-scrolling",
    "--in-process-gpu",
    "--mute-audio",
    "--window-size=1280,900",
)
OWN = "chrome:", "chrome-untrusted:"  # addresses of Chromium's own pages


class Browser:
    """A browser that shows a page."""

    def __init__(self, driver: Any) -> None:
        self.driver = driver

    def open(self, file: Path, fragment: str = "") -> Browser:
        """Load a page afresh, with nothing left from the one before."""
        address = file.as_uri()
        if self.driver.current_url.partition("#")[0] == address:  # it would not be loaded again
            return self.visit(address + fragment)
        return self._fetch(address + fragment)

    def visit(self, address: str) -> Browser:
        """Load an address afresh."""
        self.driver.get("about:blank")
        return self._fetch(address)

    def _fetch(self, address: str) -> Browser:
        """Clear the log and load an address."""
        self.driver.get_log("browser")
        self.driver.get_log("performance")
        self.driver.get(address)
        return self

    def run(self, script: str, *values: Any) -> Any:
        """Run a script and return its result."""
        return self.driver.execute_script(script, *values)

    def press(self, *keys: str) -> None:
        """Press keys one after the other: letters, SPACE, ARROW_LEFT, Shift+ARROW_LEFT."""
        from selenium.webdriver import ActionChains, Keys

        for key in keys:
            *held, name = key.split("+") if len(key) > 1 else [key]
            actions = ActionChains(self.driver)
            for one in held:
                actions.key_down(getattr(Keys, one.upper()))
            actions.send_keys(getattr(Keys, name, name))
            for one in held:
                actions.key_up(getattr(Keys, one.upper()))
            actions.perform()

    def wait(self, script: str, seconds: float = 10) -> Any:
        """Wait until a script returns something true, and return it."""
        from selenium.webdriver.support.ui import WebDriverWait

        waiting = WebDriverWait(self.driver, seconds, poll_frequency=0.05)
        return waiting.until(lambda driver: driver.execute_script(script))

    def click(self, selector: str) -> None:
        """Click the middle of an element, as a mouse does."""
        element = self.find(selector)
        self.run("arguments[0].scrollIntoView({block: 'center'})", element)
        element.click()

    def find(self, selector: str) -> Any:
        return self.driver.find_element("css selector", selector)

    def texts(self, selector: str) -> list[str]:
        """Return the text of all elements, visible or not."""
        script = "return [...document.querySelectorAll(arguments[0])].map((e) => e.textContent)"
        return [text.replace("\u00a0", " ") for text in self.run(script, selector)]

    def text(self, selector: str) -> str:
        return self.texts(selector)[0]

    @property
    def moment(self) -> tuple[int, int]:
        """The trial and frame in the address."""
        script = "return Object.fromEntries(new URLSearchParams(location.hash.slice(1)))"
        named = self.run(script)
        return int(named["trial"]), int(named["frame"])

    @property
    def frame(self) -> int:
        """The frame that is shown, counted from 1."""
        return int(self.run("return document.querySelector('input[type=range]').valueAsNumber")) + 1

    # Chromium's own pages, such as the one for a new tab, may still be loading: they do not count.

    def complaints(self) -> list[str]:
        """Return what the page has written to the console."""
        messages = (entry["message"] for entry in self.driver.get_log("browser"))
        return [one for one in messages if not one.startswith(OWN)]

    def requests(self) -> list[str]:
        """Return all addresses that the page has requested since it was opened."""
        log = self.driver.get_log("performance")
        logged = (json.loads(entry["message"])["message"] for entry in log)
        sent = [one["params"] for one in logged if one["method"] == "Network.requestWillBeSent"]
        return [one["request"]["url"] for one in sent if not one["documentURL"].startswith(OWN)]

    def quit(self) -> None:
        self.driver.quit()


def find_browser(profile: Path) -> Browser | str:
    """Start a browser with a fresh profile, or say what is missing."""
    try:
        from selenium import webdriver
        from selenium.webdriver.chrome.options import Options
        from selenium.webdriver.chrome.service import Service
    except ImportError:
        return "selenium is not installed"
    program = next(filter(None, map(shutil.which, ("chromium", "chromium-browser"))), None)
    steering = shutil.which("chromedriver")
    if program is None or steering is None:
        return "there is no chromium with its chromedriver on the path"
    options = Options()
    options.binary_location = program
    for flag in (*FLAGS, f"--user-data-dir={profile}"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    return Browser(webdriver.Chrome(options=options, service=Service(steering)))
