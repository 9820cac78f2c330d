#!/usr/bin/env python3
"""Puts the sources of each target into groups that can be compiled as one.

    cmake/unity_groups.py --sources FILE --groups FILE.cmake [--include FOLDER]...

FILE has a line "TARGET FOLDER SOURCE..." for each target. Two sources go into one group where no name
that one keeps to itself (in a namespace without a name, or as a macro) occurs in the other, or in what
only the other includes. FILE.cmake sets each source's UNITY_GROUP. What it says already stays as it is
where that is still possible, so that a change of one source moves few others.
"""

import argparse
import re
from pathlib import Path

MOST = 16  # sources in a group: more make few long compilations, that two processors can't share
NOT_CODE = re.compile(r'//[^\n]*|/\*.*?\*/|R"\(.*?\)"|"(?:\\.|[^"\\\n])*"', re.DOTALL)
# Not what is looked up in something else: a.b, a->b, a::b.
WORD = re.compile(r"(?<![\w.:>])[A-Za-z_]\w*|(?<=[^-]>)[A-Za-z_]\w*|(?<=[^:]:)[A-Za-z_]\w*")
CALL = re.compile(r"\s*[(<{]")
DEFINES = re.compile(
    r"^(?:template <.*> )?(?:enum )?(?:class|struct) (?P<type>\w+)"
    r"|^using (?P<alias>\w+) ="
    r"|^#\s*define (?P<macro>\w+)"
    r"|^const [^&*(]* (?P<object>\w+)\("
    r"|(?<![:\w])(?!(?:const|noexcept|operator)\b)"
    r"(?:(?P<function>[A-Za-z_]\w*)\s*\(|(?P<other>[A-Za-z_]\w*)\s*[{=;\[])")
BORROWS = re.compile(r"^using (?:::)?((?:\w+::)+(\w+));")
TEST = re.compile(r"^(?:TEST|TEST_F|TEST_P|RC_GTEST_PROP)\((\w+), (\w+)")
MATCHER = re.compile(r"^MATCHER\w*\((\w+)")
INCLUDE = re.compile(r'^#include "([^"]+)"', re.MULTILINE)
NAMESPACE = re.compile(r"^namespace ([\w:]+) \{", re.MULTILINE)
SET = re.compile(r'^set_property\(SOURCE "(.*)" DIRECTORY "(.*)" PROPERTY UNITY_GROUP (\S+)\)$')


class Text:
    """What matters of a file: the names that it keeps to itself or borrows from other namespaces, the
    words that it uses, and what it includes."""

    def __init__(self, file: Path, include: list[Path]):
        text = file.read_text(encoding="utf-8").replace("\n}  // namespace\n", "\n}namespace\n")
        folders = [file.parent, *include]
        self.includes = [next((folder / name for folder in folders if (folder / name).is_file()), None)
                         for name in INCLUDE.findall(text)]
        text = NOT_CODE.sub('""', text)
        self.words: set[str] = set()  # also as "word(" where it may be called
        for word in WORD.finditer(text):
            self.words.add(word[0])
            if CALL.match(text, word.end()):
                self.words.add(f"{word[0]}(")
        self.namespaces = set(NAMESPACE.findall(text))
        self.own: dict[str, set[str]] = {}  # by the namespace around them
        self.borrowed: dict[str, dict[str, str]] = {}  # likewise; in full, by name
        around = ""
        unnamed = False
        for line in text.splitlines():
            if named := NAMESPACE.match(line):
                around = named[1]
            elif line.startswith("namespace {"):
                unnamed = True
            elif line == "}namespace":
                unnamed = False
            elif borrows := BORROWS.match(line):
                self.borrowed.setdefault(around, {})[borrows[2]] = borrows[1]
            elif name := own_name(line, unnamed):
                self.own.setdefault(around, set()).add(name)

    def means(self, names: set[str], around: str) -> bool:
        """Whether it would take any of these names for those in the unnamed part of a namespace."""
        return bool(names & self.words) and any(
            here == around or here.startswith(f"{around}::") for here in self.namespaces)


def own_name(line: str, unnamed: bool) -> str | None:
    """What a line at the margin defines for its file alone; a function as "name(", since it hides and
    is hidden by no variable of its name."""
    if test := TEST.match(line):
        return f"{test[1]}_{test[2]}_Test"
    if matcher := MATCHER.match(line):
        return f"{matcher[1]}Matcher"
    if line.startswith("#define") or (unnamed and line[:1].isalpha()):
        if found := DEFINES.search(line):
            return found[found.lastgroup] + ("(" if found.lastgroup == "function" else "")
    return None


class Texts:
    """Every file is read once."""

    def __init__(self, include: list[Path]):
        self.include = include
        self.texts: dict[Path, Text] = {}

    def read(self, file: Path) -> Text:
        if file not in self.texts:
            self.texts[file] = Text(file, self.include)
        return self.texts[file]

    def with_headers(self, file: Path) -> set[Path]:
        found: set[Path] = set()
        waiting = [file]
        while waiting:
            if (next_file := waiting.pop()) not in found:
                found.add(next_file)
                waiting += [name for name in self.read(next_file).includes if name]
        return found


class Source:
    """A source, with all that it includes."""

    def __init__(self, file: Path, texts: Texts):
        text = texts.read(file)
        self.own = text.own
        self.borrowed = text.borrowed
        self.borrows: dict[str, set[str]] = {}  # whatever the namespace
        for names in text.borrowed.values():
            for name, full in names.items():
                self.borrows.setdefault(name, set()).add(full)
        self.files = texts.with_headers(file)
        self.texts = texts

    def goes_with(self, other: "Source") -> bool:
        return self.bears(other) and other.bears(self)

    def bears(self, other: "Source") -> bool:
        """Whether its own names, and those that it borrows, mean nothing else to the other."""
        foreign = {around: set(names) for around, names in self.own.items()}
        for around, names in self.borrowed.items():
            foreign.setdefault(around, set()).update(
                name for name, full in names.items() if other.borrows.get(name) != {full})
        return not any(self.texts.read(file).means(names, around)
                       for file in other.files - self.files for around, names in foreign.items())


class Group:
    """Sources that are compiled as one."""

    def __init__(self, name: str):
        self.name = name
        self.members: list[Source] = []

    def takes(self, source: Source) -> bool:
        return len(self.members) < MOST and all(member.goes_with(source) for member in self.members)


def group(target: str, sources: dict[Path, Source], before: dict[Path, str]) -> dict[Path, Group]:
    """Each source's group: the one from before, or else the first that takes it."""
    groups: dict[str, Group] = {}
    found: dict[Path, Group] = {}

    def place(file: Path, candidates: list[Group]):
        for candidate in candidates:
            if candidate.takes(sources[file]):
                groups[candidate.name] = candidate
                candidate.members.append(sources[file])
                found[file] = candidate
                return

    for file in sources:
        if name := before.get(file):
            place(file, [groups.setdefault(name, Group(name))])
    # Who goes with few others has the first choice: that makes fewer groups.
    left = sorted(sources.keys() - found.keys(), key=lambda file: (
        sum(sources[file].goes_with(other) for other in sources.values()), file))
    for file in left:
        unused = next(n for n in map(str, range(len(groups) + 1)) if f"{target}_{n}" not in groups)
        place(file, [*groups.values(), Group(f"{target}_{unused}")])
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sources", type=Path, required=True)
    parser.add_argument("--groups", type=Path, required=True)
    parser.add_argument("--include", type=Path, action="append", default=[])
    options = parser.parse_args()

    before: dict[str, dict[Path, str]] = {}
    if options.groups.exists():
        for line in options.groups.read_text(encoding="utf-8").splitlines():
            if match := SET.match(line):
                before.setdefault(match[2], {})[Path(match[1])] = match[3]

    texts = Texts(options.include)
    read: dict[Path, Source] = {}
    grouped: dict[str, dict[Path, str]] = {}
    for line in options.sources.read_text(encoding="utf-8").splitlines():
        target, folder, *names = line.split()
        files = [Path(folder, name) for name in names]
        # Several targets of a folder may share sources; what the first says holds for all.
        grouped_here = grouped.setdefault(folder, {})
        for file in files:
            read.setdefault(file, Source(file, texts))
        found = group(target, {f: read[f] for f in files if f not in grouped_here},
                      before.get(folder, {}))
        grouped_here |= {file: joined.name for file, joined in found.items()}

    lines = [f'set_property(SOURCE "{file}" DIRECTORY "{folder}" PROPERTY UNITY_GROUP {name})'
             for folder, files in grouped.items() for file, name in files.items()]
    lines += [f'set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "{file}")'
              for file in read]
    options.groups.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
