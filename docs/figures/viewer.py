"""Draws docs/figures/viewer.png and viewer-dark.png: the page that ``hbtom show`` makes.

python docs/figures/viewer.py      (needs selenium, chromium and chromedriver)
"""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

from selenium import webdriver
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service

import hbtom
from hbtom.show.page import page

HERE = Path(__file__).parent
EPISODE = HERE.parents[1] / "examples" / "preference_u.json.zst"
MOMENT = "#trial=9&frame=64"
SIZE = {"width": 1280, "height": 800, "deviceScaleFactor": 1, "mobile": False}


def browser(profile: str) -> webdriver.Chrome:
    """Start a browser without a window."""
    options = Options()
    options.binary_location = shutil.which("chromium") or ""
    flags = ("headless=new", "no-sandbox", "disable-gpu", "hide-scrollbars", "no-first-run")
    for flag in (*flags, "disable-background-networking", f"user-data-dir={profile}"):
        options.add_argument(f"--{flag}")
    return webdriver.Chrome(options=options, service=Service(shutil.which("chromedriver")))


def main() -> None:
    """Take screenshots of the page, light and dark."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "page.html"
        file.write_text(page(hbtom.judge(EPISODE)), encoding="utf-8")
        driver = browser(f"{folder}/profile")
        driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", SIZE)
        for theme, name in (("light", "viewer.png"), ("dark", "viewer-dark.png")):
            driver.get("about:blank")
            driver.get(file.as_uri() + MOMENT)
            driver.execute_script("document.documentElement.dataset.theme = arguments[0]", theme)
            driver.execute_async_script("setTimeout(arguments[0], 500)")  # rings come to rest
            driver.save_screenshot(str(HERE / name))
        driver.quit()


if __name__ == "__main__":
    main()
