# More hosts than ping each other at once, in ten simulated sites far apart: they come out as ten
# clusters with the right latencies, within the budget.
source "$(dirname "${BASH_SOURCE[0]}")/lib.bash"

build=${ESPALIER_BUILD:?the build folder}
[[ -e $build/espalier-measure-smpi ]] && command -v smpirun >/dev/null || skip "no SMPI"

python3 "$root/bench/measure/ten_sites.py" --build "$build" --hosts 10 --check >"$out" 2>"$err" ||
    complain 'clusters or latencies'
grep -q '^100 hosts: the ten sites; ' "$out" || complain 'no result'

finish
