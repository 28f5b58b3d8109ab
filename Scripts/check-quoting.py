#!/usr/bin/env python3
"""Special characters of texts are looked for by scalars or bytes, never by Character.

    python3 Scripts/check-quoting.py           checks all code but tests
    python3 Scripts/check-quoting.py --test    checks that the mistakes are found, and their mends are not

A quotation mark with a combining mark, a joiner or a variation selector behind it is another Character, and "\\r\\n" is
one: `text.replacing("\\"", with: "\\"\\"")` passes it over, and a parser of bytes ends the text there. So whoever chooses
the text chooses what comes after it. Texts are quoted by `Quoting`, and parsed through `unicodeScalars` or `utf8`. A
variable of such a view has a name with "scalars", "bytes" or "utf8" in it, by which it is known here. Where Characters
are meant, the line ends in `// By Character:` and the reason.
"""
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
FOLDERS = re.compile(r"^(Sources|Examples|Integrations/\w+/(Sources|Examples))/")

# A literal of marks alone: quotation marks, separators, brackets, escapes. Not blanks, hyphens and underscores.
MARKS = r'"(?:\\(?:[\\"0nrt\']|u\{[0-9A-Fa-f]+\})|[!#$%&\'()*+,./:;<=>?@\[\]^`{|}~])+"'
METHODS = (
    r"replacing|replacingOccurrences|contains|split|firstIndex|lastIndex|components|ranges?|firstRange|hasPrefix"
    r"|hasSuffix|starts|trimmingPrefix")
LABELS = r"(?:of|separator|separatedBy|with): "
MISTAKES = [
    re.compile(rf"(?:\.|\b)(?:{METHODS})\((?:{LABELS})?{MARKS}"),
    # The same with a closure.
    re.compile(rf"\.(?:{METHODS}|prefix|drop|first|last|filter|allSatisfy)(?:\((?:where|while): )? ?\{{ ?"
               rf"(?:!?\(?\$0 [!=]= (?:\"[^\"]\"|{MARKS}) ?(?:&&|\|\|) ?)*\$0 [!=]= {MARKS}"),
    re.compile(rf"\.(?:first|last)\??\.?(?: [!=]= | \?\? \"[^\"]*\" [!=]= ){MARKS}"),
    re.compile(rf"\bcharacter\b [!=]= {MARKS}"),
    re.compile(r"\bswitch character\b"),
    re.compile(r"\bSet<Character>(?: = |\()\[[^\]]*" + MARKS),
]
# What may stand before: a view of scalars or bytes, or a variable of one.
VIEWS = re.compile(r"(?:unicodeScalars|[sS]calars|utf8|[bB]ytes)\b[^;{}=]*$")
REASON = re.compile(r"// By Character: \S")


def problems(lines):
    """The numbers and texts of the lines in which Characters are compared."""
    found = []
    for number, line in enumerate(lines, 1):
        code = re.sub(r"(^|\s)///?(?!/).*$", "", line) if '"' not in line.split("//")[-1] else line
        if REASON.search(line) or line.lstrip().startswith("//"):
            continue
        # A call at the beginning of a line goes on with the one before.
        before = lines[number - 2].rstrip() + " " if number > 1 and line.lstrip().startswith(".") else ""
        for mistake in MISTAKES:
            if any(not VIEWS.search(before + code[:match.start()]) for match in mistake.finditer(code)):
                found.append((number, line.strip()))
                break
    return found


WRONG = r'''
name.replacing("\"", with: "\"\"")
name.replacingOccurrences(of: "'", with: "''")
text.contains("\\")
text.split(separator: "\n")
text.split(separator: ".", omittingEmptySubsequences: false)
text.firstIndex(of: "\"")
text.components(separatedBy: "\r\n")
path.hasPrefix("/")
path.hasPrefix("../")
rest.prefix { $0 != "." }
rest.drop { $0 == "/" }
text.filter { $0 != "?" }
name.first == "\""
name.last != "."
character == "\""
switch character {
let quotes: Set<Character> = ["\"", "'"]
name.contains { $0 == "<" || $0 == " " }
text.contains("\u{2028}")
contains("`")
'''

RIGHT = r'''
Quoting.quoted(name, by: "\"")
text.unicodeScalars.contains("\\")
text.utf8.split(separator: UInt8(ascii: "\n"))
text.unicodeScalars.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
scalars.first == "\""
rest.unicodeScalars.prefix { $0 != "." }
bytes.firstIndex(of: UInt8(ascii: "\""))
names.contains("id")
words.split(separator: " ")
option.hasPrefix("--")
["a", "b"].contains("c")
// text.contains("\\")
text.contains("*")  // By Character: a pattern's characters are what a reader sees.
scalar == "\""
text + "\"" + text
'''


def test():
    for text, expected in [(WRONG, True), (RIGHT, False)]:
        for line in text.strip().split("\n"):
            if bool(problems([line])) != expected:
                sys.exit(f"{'not found' if expected else 'found wrongly'}: {line}")
    print("the mistakes are found")


def main():
    if sys.argv[1:] == ["--test"]:
        return test()
    names = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "*.swift"],
        capture_output=True, text=True, check=True, cwd=ROOT).stdout.split()
    files = [name for name in names if FOLDERS.match(name) and (ROOT / name).is_file()]
    if len(files) < 500:
        sys.exit(f"only {len(files)} files were found")
    found = [
        f"{name}:{number}: compares Characters where a scalar or byte is meant: {line}"
        for name in files for number, line in problems((ROOT / name).read_text(encoding="utf-8").split("\n"))
    ]
    if found:
        sys.exit("\n".join(found))
    print(f"{len(files)} files")


main()
