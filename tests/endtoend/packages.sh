# Debian's packages take all that is installed, each file once, and have the version that programs say.
source "$(dirname "${BASH_SOURCE[0]}")/lib.bash"
[[ -z ${ESPALIER_SANITIZE:-} ]] || skip "what is sanitized is not packaged"
cmake --install "${ESPALIER_BUILD:?}" --prefix "$work/usr" >"$out" 2>"$err"
holds 'it installs' test $? = 0
: >"$out"

# Where Debian has a folder for each kind of machine, this build may have none, and another for Python.
(cd "$work" && find usr -type f -o -type l) |
    sed -E 's,^usr/lib/[^/]+-linux-gnu[^/]*/,usr/lib/,; s,^usr/lib/python3[^/]*/[a-z]+-packages/,usr/lib/python3/dist-packages/,' >"$work/files"
while read -r file; do
    takers=
    for list in "$root"/packaging/debian/*.install "$root"/packaging/debian/not-installed; do
        while read -r pattern; do
            pattern=${pattern/#usr\/lib\/\*\//usr/lib/}
            # shellcheck disable=SC2053
            [[ $file == $pattern || $file == $pattern/* ]] && takers+=" $(basename "$list")"
        done <"$list"
    done
    words=($takers)
    ((${#words[@]} == 1)) || complain "$file is taken by:${takers:- nobody}"
done <"$work/files"
holds 'the programs are among them' grep -qx usr/bin/espalier "$work/files"

version=$("$cli" --version | awk '{print $2}')
holds 'they have this version' grep -q "^espalier ($version-[0-9]*) " "$root/packaging/debian/changelog"
finish
