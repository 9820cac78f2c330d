# Shared by the scripts here; source it. Needs ESPALIER_CLI, the binary to test.
set -uo pipefail

cli=${ESPALIER_CLI:?the espalier binary to test}
networks=$(cd "$(dirname "${BASH_SOURCE[0]}")/networks" && pwd)
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
out=$work/.stdout
err=$work/.stderr
: >"$out"
: >"$err"
failures=0

complain() {
    printf 'FAILED: %s\n' "$1"
    [[ -z ${status:-} ]] || printf '    status: %s\n' "$status"
    sed 's/^/    stdout: /' "$out" | head -5
    sed 's/^/    stderr: /' "$err" | head -5
    failures=$((failures + 1))
}

# run ARGS...: runs espalier; its status is in $status, what it says in $out and $err.
run() {
    status=0
    "$cli" "$@" >"$out" 2>"$err" </dev/null || status=$?
}

# accepts ARGS...: it must succeed, and say nothing on stderr but warnings and what it wrote.
accepts() {
    run "$@"
    if ((status != 0)); then
        complain "espalier $* ends with $status"
    elif grep -Eqv '^espalier: (warning: |wrote )' "$err"; then
        complain "espalier $* speaks on stderr"
    fi
}

# rejects STATUS PATTERN ARGS...: it must end with STATUS and say exactly one line, which fits the
# pattern; print nothing, and leave no file in the work folder.
rejects() {
    local expected=$1 pattern=$2 before
    shift 2
    before=$(ls -A "$work")
    run "$@"
    if ((status != expected)); then
        complain "espalier $* ends with $status, not $expected"
    elif [[ $(wc -l <"$err") != 1 ]] || ! grep -Eq "^espalier: .*($pattern)" "$err"; then
        complain "espalier $* does not say one line with '$pattern'"
    elif [[ -s $out ]]; then
        complain "espalier $* prints a result"
    elif [[ $(ls -A "$work") != "$before" ]]; then
        complain "espalier $* leaves a file behind"
    fi
}

# holds WHAT CONDITION...: a command that must succeed; WHAT is printed otherwise.
holds() {
    local what=$1
    shift
    "$@" || complain "$what"
}

# json EXPRESSION [FILE]: a Python expression of the document d in FILE (stdout of the last run).
json() {
    python3 -c 'import json, sys
d = json.load(open(sys.argv[2]))
print(eval(sys.argv[1]))' "$1" "${2:-$out}"
}

# json_holds WHAT EXPRESSION [FILE]
json_holds() {
    local what=$1
    shift
    [[ $(json "$@" 2>&1) == True ]] || complain "$what"
}

# skip REASON: this script can't run here.
skip() {
    printf 'skipped: %s\n' "$1"
    exit 77
}

# Ends the script: with 1 if something failed.
finish() {
    if ((failures > 0)); then
        printf '%d failed\n' "$failures"
        exit 1
    fi
    echo "all held"
}
