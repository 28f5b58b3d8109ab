#!/usr/bin/env python3
"""Runs the recipes of the article on livestore-watch, and compares what they print with what it shows.

    python3 Scripts/check-recipes.py [path of the tool] [--print]

A block of sh is run in Examples/WatchCLI/Samples; the block of text after it is what it prints. `--print` shows what the
recipes print instead. A comment before a block says what else it is:

    <!-- recipe: not run -->                a block of sh that is only shown
    <!-- recipe: errors of the last -->     what the recipe before has printed on standard error, in all

The article must name every option and word of `--help`, and every exit status with its meaning.
"""
import os
import pathlib
import re
import subprocess
import sys

import built

ROOT = pathlib.Path(__file__).resolve().parent.parent
ARTICLE = ROOT / "Sources" / "LiveStore" / "LiveStore.docc" / "LiveStoreWatch.md"
SAMPLES = ROOT / "Examples" / "WatchCLI" / "Samples"
BLOCK = re.compile(r"(?:<!-- recipe: ([\w ]+) -->\n)?```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def run(command, folder):
    path = f"{folder}:{os.environ['PATH']}"
    return subprocess.run(
        ["bash", "-c", command], cwd=SAMPLES, env={**os.environ, "PATH": path}, capture_output=True, text=True,
        stdin=subprocess.DEVNULL, timeout=120)


def check_recipes(text, folder, is_printing):
    problems, count, errors, expected = [], 0, "", None
    for kind, language, code in BLOCK.findall(text):
        if kind == "not run":
            continue
        if kind == "errors of the last":
            if code != errors:
                problems.append(f"standard error had\n{errors}instead of\n{code}")
        elif language == "sh":
            if expected is not None:
                problems.append(f"what it prints is not shown:\n{command}{expected}")
            result, command, count = run(code, folder), code, count + 1
            expected, errors = result.stdout, result.stderr
            if is_printing:
                print(code + expected)
        elif language == "text":
            if code != expected:
                problems.append(f"it printed\n{expected}instead of\n{code}by\n{command}")
            expected = None
    if count < 10:
        problems.append(f"only {count} recipes were found")
    return problems, count


def check_words(text, tool):
    """Options with their words, and exit statuses, that the article leaves out."""
    help_text = subprocess.run([tool, "--help"], capture_output=True, text=True, check=True).stdout
    names = re.findall(r"^  (?:-\w, )?(--[\w-]+)", help_text, re.MULTILINE)
    words = re.findall(r"^ {26}(\w+): ", help_text, re.MULTILINE)
    statuses = " ".join(help_text[help_text.index("Exit status:"):].split())
    pairs = re.findall(r"(\d+) (.*?)(?:, (?=\d+ )|\.$)", statuses.removeprefix("Exit status: "))
    if len(names) < 20 or len(words) < 10 or len(pairs) < 10:
        sys.exit("the help is not written as expected")
    plain = text.replace("`", "")
    missing = [name for name in names if not re.search(rf"{name}(?![\w-])", plain)]
    missing += [word for word in words if f"`{word}`" not in text]
    missing += [f"{code} {meaning}" for code, meaning in pairs
                if not re.search(rf"\| .*\b{code}\b", plain) or meaning not in plain]
    return [f"{name} is not in the article" for name in missing], len(names)


def main():
    arguments = [argument for argument in sys.argv[1:] if argument != "--print"]
    tool = pathlib.Path(arguments[0]).resolve() if arguments else built.program("livestore-watch")
    text = ARTICLE.read_text()
    problems, recipes = check_recipes(text, tool.parent, "--print" in sys.argv)
    more, options = check_words(text, tool)
    if "--print" not in sys.argv and problems + more:
        sys.exit("\n".join(f"{ARTICLE.relative_to(ROOT)}: {problem}" for problem in problems + more))
    print(f"{recipes} recipes print what the article says, which names {options} options")


main()
