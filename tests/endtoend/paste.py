"""Runs the commands of a Markdown page as a reader pastes them, and holds what they print against the page.

    paste.py PAGE FOLDER

Blocks of kind `console` are run, in their order, in one shell that starts in FOLDER: lines that begin with `$ `
(and with two blanks or more below one that ends in a backslash) are commands; the others are what they print.
Each of these has to be there, in that order, but for numbers, blanks, and what a `…` stands for. A command may
fail only where the line above the block is `<!-- fails -->`. Blocks of other kinds (`text`) are not run.
"""

import pathlib
import re
import subprocess
import sys



def blocks_in(text):
    """[(first line, whether it fails, [(command, [lines that it prints])])]"""
    found = []
    lines = text.splitlines()
    for at, line in enumerate(lines):
        if line.strip() != "```console":
            continue
        commands = []
        for shown in lines[at + 1:lines.index("```", at)]:
            if shown.startswith("$ "):
                commands.append([shown[2:], []])
            elif commands and commands[-1][0].endswith("\\"):
                commands[-1][0] += "\n" + shown
            else:
                commands[-1][1].append(shown)
        found.append((at + 2, at > 0 and "<!-- fails -->" in lines[at - 1], commands))
    return found


def pattern_of(line):
    """Of what a line of the page stands for: any numbers, units as they come out, any blanks."""
    words = []
    for word in line.split():
        parts = [r"[0-9][0-9.e+]*" if part[:1].isdigit() else re.escape(part).replace("…", ".*")
                 for part in re.split(r"(\d[\d.]*)", word)]
        words.append("(ns|us|ms|s|min|h|d)" if word in ("ns", "us", "ms", "s") else "".join(parts))
    return re.compile(r"\s*" + r"\s+".join(words))


class Shell:
    """A shell that lives as long as a page, for what a command leaves behind: variables, folders, jobs."""

    def __init__(self, folder):
        self.process = subprocess.Popen(["bash"], cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.STDOUT, text=True, bufsize=1)

    def run(self, command):
        """(status, lines)"""
        mark = "paste.py: the end of a command"
        # Programs that read would take the next commands.
        self.process.stdin.write(f"{{ {command}\n}} </dev/null\nstatus=$?; echo; echo '{mark}' $status\n")
        self.process.stdin.flush()
        lines = []
        for line in self.process.stdout:
            if line.startswith(mark):
                return int(line.split()[-1]), lines
            lines.append(line.rstrip("\n"))
        return self.process.wait(), lines

    def end(self):
        self.process.stdin.close()
        self.process.wait(timeout=30)


def missing_in(printed, shown):
    """The first line of the page that is not among those that were printed, in their order; None: all are."""
    at = 0
    for line in shown:
        if line.strip() in ("", "…"):
            continue
        pattern = pattern_of(line)
        while at < len(printed) and not pattern.fullmatch(printed[at].rstrip()):
            at += 1
        if at == len(printed):
            return line
        at += 1
    return None


def main():
    page = pathlib.Path(sys.argv[1])
    shell = Shell(sys.argv[2])
    failures = commands_run = 0
    for first, may_fail, commands in blocks_in(page.read_text(encoding="utf-8")):
        for command, shown in commands:
            commands_run += 1
            status, printed = shell.run(command)
            line = missing_in(printed, shown)
            if (status != 0) == may_fail and line is None:
                continue
            failures += 1
            why = f"ends with {status}" if (status != 0) != may_fail else f"does not print '{line}'"
            print(f"FAILED: {page.name}, block at line {first}: {command}\n    {why}; it prints")
            for text in printed[-30:]:
                print(f"    {text}")
    shell.end()
    if commands_run == 0:
        print(f"FAILED: {page.name} has no block of kind console")
        failures += 1
    print(f"{page.name}: {commands_run} commands, {failures} failed")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
