"""Pictures for the docs: page 1 of each mission's sheet and the first page of its workbook.  Run by `make pictures`."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

from memreport.build.outputs import make
from memreport.compute import compute
from memreport.resolve import resolve_all
from tests.libreoffice import render_pngs

ROOT = Path(__file__).parents[1]
MISSION = ("llama3-70b-8xa100", "llama2-7b-1xa100", "qlora-7b-rtx4070", "serving-mi300x")
DOTS_PER_INCH = 72


def first_page(pdf: Path, png: Path) -> None:
    """Page 1 of a PDF as a picture."""
    command = ["pdftoppm", "-r", str(DOTS_PER_INCH), "-f", "1", "-l", "1", "-png", "-singlefile"]
    subprocess.run([*command, str(pdf), str(png.with_suffix(""))], check=True)


def picture(name: str, folder: Path) -> None:
    """Both pictures of one scenario."""
    resolved = resolve_all([ROOT / "scenarios" / f"{name}.yaml"])
    made = make(compute(resolved)[0], ("xlsx", "pdf"))
    with tempfile.TemporaryDirectory() as temporary:
        inside = Path(temporary)
        for file, content in made.files.items():
            (inside / file).write_bytes(content)
        first_page(inside / f"{name}.pdf", folder / f"{name}-sheet.png")
        pages = render_pngs(inside / f"{name}.xlsx", inside / "pages", DOTS_PER_INCH)
        shutil.copy(pages[0], folder / f"{name}-workbook.png")


def page_picture(name: str, folder: Path) -> None:
    """The top of a scenario's page, as a browser shows it."""
    made = make(compute(resolve_all([ROOT / "scenarios" / f"{name}.yaml"]))[0], ("html",))
    with tempfile.TemporaryDirectory() as temporary, sync_playwright() as playwright:
        file = Path(temporary) / "page.html"
        file.write_bytes(made.files[f"{name}.html"])
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 1280, "height": 1000})
        page.goto(file.as_uri())
        page.locator("#live").wait_for()
        page.screenshot(path=folder / f"{name}-page.png")


def main() -> int:
    """Every mission scenario, or those that are named; of the first its page, too."""
    folder = ROOT / "docs" / "images"
    folder.mkdir(parents=True, exist_ok=True)
    for name in sys.argv[1:] or MISSION:
        picture(name, folder)
    page_picture((sys.argv[1:] or MISSION)[0], folder)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
