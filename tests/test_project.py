"""Workflows, hooks, templates and the guide to contributing agree with the repository."""

from __future__ import annotations

import importlib.util
import re
import shlex
import subprocess
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parents[1]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
FORMS = sorted((ROOT / ".github" / "ISSUE_TEMPLATE").glob("[!c]*.yml"))  # not config.yml
HOOKS = ROOT / ".pre-commit-config.yaml"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def parsed(file: Path) -> Any:
    return yaml.safe_load(file.read_text(encoding="utf-8"))


def steps(file: Path) -> Iterator[dict[str, Any]]:
    for job in parsed(file)["jobs"].values():
        yield from job["steps"]


def commands() -> Iterator[str]:
    """Yield all commands that workflows, hooks and the CI script run."""
    for file in WORKFLOWS:
        for step in steps(file):
            yield from step.get("run", "").splitlines()
    for hook in parsed(HOOKS)["repos"][0]["hooks"]:
        if hook["language"] == "system":
            yield hook["entry"]
    yield from re.findall(r"^\.venv/bin/(.*)$", (ROOT / ".ci" / "run").read_text(), re.MULTILINE)


def named_files(command: str) -> Iterator[str]:
    """Yield the words of a command that are paths in the repository."""
    folders = {path.name for path in ROOT.iterdir() if path.is_dir()} - {"docs"}
    for word in shlex.split(command):
        path = word.partition("=")[2] if word.startswith("--") else word
        if path in folders | {"docs"} or path.partition("/")[0] in folders or path.endswith(".py"):
            yield path


def test_files_that_commands_name_exist() -> None:
    named = [path for command in commands() for path in named_files(command)]
    assert {"src", "tests/test_site.py", "fuzz/run.py"} <= set(named)
    assert [path for path in named if not (ROOT / path).exists()] == []


def test_workflows_use_actions_of_a_major_version() -> None:
    used = [step["uses"] for file in WORKFLOWS for step in steps(file) if "uses" in step]
    assert used
    assert [one for one in used if not re.fullmatch(r"[\w-]+/[\w-]+@(release/)?v\d+", one)] == []


def test_jobs_need_jobs_that_exist() -> None:
    for file in WORKFLOWS:
        jobs = parsed(file)["jobs"]
        assert {name for job in jobs.values() for name in job.get("needs", ())} <= set(jobs)
        for job in jobs.values():
            assert all(("uses" in step) != ("run" in step) for step in job["steps"])


def test_the_required_checks_are_those_that_ci_runs() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    block = re.search(r"must pass before [^\n]*:\n\n```console\n(.*?)```", text, re.DOTALL)
    assert block
    wanted = [line.removeprefix("$ ") for line in block[1].splitlines()]
    script, workflow = (ROOT / ".ci" / "run").read_text(), WORKFLOWS[0].read_text()
    assert "mypy" in wanted
    for command in wanted:
        if not command.startswith("pytest"):  # the script runs the command of the README
            assert f".venv/bin/{command}\n" in script
            assert f"run: {command}\n" in workflow


def test_the_matrix_matches_the_supported_versions() -> None:
    matrix = parsed(ROOT / ".github" / "workflows" / "ci.yml")["jobs"]["tests"]["strategy"][
        "matrix"
    ]
    assert PROJECT["project"]["requires-python"] == f">={matrix['python'][0]}"
    assert {name.partition("-")[0] for name in matrix["os"]} == {"ubuntu", "macos", "windows"}
    for version in matrix["python"]:
        assert f"Programming Language :: Python :: {version}" in PROJECT["project"]["classifiers"]


def test_the_repository_has_one_address() -> None:
    address = PROJECT["project"]["urls"]["Repository"]
    assert all(url.startswith(address) for url in PROJECT["project"]["urls"].values())
    assert parsed(ROOT / "CITATION.cff")["repository-code"] == address


@pytest.mark.parametrize("form", FORMS, ids=lambda file: file.stem)
def test_forms_have_questions(form: Path) -> None:
    asked = parsed(form)
    assert {"name", "description", "body"} <= set(asked)
    fields = [field for field in asked["body"] if field["type"] != "markdown"]
    assert len({field["id"] for field in fields}) == len(fields) > 0
    assert all(field["attributes"]["label"] for field in fields)
    for page in re.findall(r"docs/[\w/]+\.md", form.read_text(encoding="utf-8")):
        assert (ROOT / page).exists(), page


def tracked() -> list[Path]:
    """Return the text files of the repository that hooks check."""
    listed = subprocess.run(
        ["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    if listed.returncode != 0:
        pytest.skip("this is not a clone of the repository")
    files = (ROOT / name for name in listed.stdout.split("\0") if name)
    return [file for file in files if file.is_file() and b"\0" not in file.read_bytes()]


def test_hooks_that_look_for_a_pattern_find_none() -> None:
    hooks = [hook for hook in parsed(HOOKS)["repos"][0]["hooks"] if hook["language"] == "pygrep"]
    assert len(hooks) == 2
    files = tracked()
    for hook in hooks:
        pattern = re.compile(hook["entry"].encode(), 0 if "args" in hook else re.MULTILINE)
        found = [
            file.relative_to(ROOT).as_posix() for file in files if pattern.search(file.read_bytes())
        ]
        assert [name for name in found if not re.search(hook["exclude"], name)] == [], hook["name"]


def test_the_list_of_modules_is_up_to_date() -> None:
    spec = importlib.util.spec_from_file_location("module_list", ROOT / "docs" / "module_list.py")
    assert spec is not None
    assert spec.loader is not None
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    assert script.PAGE.read_text(encoding="utf-8") == script.page(), "run docs/module_list.py"
