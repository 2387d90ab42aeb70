"""Draws docs/figures/report.png: the report that ``hbtom report`` makes, on synthetic episodes.

python docs/figures/report.py      (needs selenium, chromium and chromedriver)
"""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

from selenium import webdriver
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service

import hbtom
from hbtom.bench.synth import generate
from hbtom.show.report import report

HERE = Path(__file__).parent
SIZE = {"width": 1280, "height": 1526, "deviceScaleFactor": 1, "mobile": False}


def browser(profile: str) -> webdriver.Chrome:
    """Start a browser without a window."""
    options = Options()
    options.binary_location = shutil.which("chromium") or ""
    flags = ("headless=new", "no-sandbox", "disable-gpu", "hide-scrollbars", "no-first-run")
    for flag in (*flags, "disable-background-networking", f"user-data-dir={profile}"):
        options.add_argument(f"--{flag}")
    return webdriver.Chrome(options=options, service=Service(shutil.which("chromedriver")))


def main() -> None:
    """Take a screenshot of the top of the report on the paper's model."""
    with tempfile.TemporaryDirectory() as folder:
        generate(Path(folder) / "synthetic", pairs=40, seed=1)
        file = Path(folder) / "report.html"
        file.write_text(report(hbtom.evaluate(f"{folder}/synthetic", "paper")), encoding="utf-8")
        driver = browser(f"{folder}/profile")
        driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", SIZE)
        driver.get(file.as_uri())
        driver.execute_script("document.querySelector('.scores').hidden = true")
        driver.execute_async_script("setTimeout(arguments[0], 300)")
        driver.save_screenshot(str(HERE / "report.png"))
        driver.quit()


if __name__ == "__main__":
    main()
