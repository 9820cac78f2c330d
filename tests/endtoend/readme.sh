# README, the tutorial and the how-to: what a reader pastes into a fresh clone runs, and prints what stands there.
source "$(dirname "${BASH_SOURCE[0]}")/lib.bash"
[[ -z ${ESPALIER_SANITIZE:-} ]] || skip "libraries that are preloaded are not sanitized"
build=${ESPALIER_BUILD:?the build folder}
command -v mpicc >/dev/null && [[ -x $build/espalier-testbed ]] || skip "no MPI, or no testbed"

# What is tracked, as in a clone, and the build where scripts/build puts it.
mkdir -p "$work/clone" "$work/home" "$work/run"
git -C "$root" -c safe.directory='*' ls-files -z examples testbed/examples docs README.md |
    tar -C "$root" --null -T - -cf - | tar -C "$work/clone" -xf -
mkdir "$work/clone/build"
ln -s "$build" "$work/clone/build/release"

export HOME=$work/home XDG_RUNTIME_DIR=$work/run
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
unset ESPALIER_CLI ESPALIER_BUILD ESPALIER_TESTBED XDG_CACHE_HOME LD_PRELOAD
"$build/espalier-testbed" run "$root/testbed/examples/two-regions.json" -- true 2>"$err" ||
    ! grep -Eq 'namespaces|/dev/net/tun|TUN' "$err" || skip "$(cat "$err")"

for page in README.md docs/tutorial.md docs/howto.md; do
    rm -rf "$work/paste"
    cp -r "$work/clone" "$work/paste"
    timeout 200 python3 "$(dirname "${BASH_SOURCE[0]}")/paste.py" "$work/paste/$page" "$work/paste" ||
        failures=$((failures + 1))
    "$build/espalier-testbed" down 2>/dev/null || true  # where a page failed in its middle
done
finish
