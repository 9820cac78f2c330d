# What people meet on the command line: help, suggestions, units, tables, what is said meanwhile.
source "$(dirname "${BASH_SOURCE[0]}")/lib.bash"
cd "$work" || exit 1
table4=$root/examples/table4/network.json

# Help: the same by each way, and within 80 columns.
widest() { python3 -c 'import sys; print(max(len(line.rstrip("\n")) for line in sys.stdin))' <"$out"; }
commands=$("$cli" --help | sed -n '/^Subcommands:/,/^$/s/^  \([a-z]*\) .*/\1/p')
holds 'there are commands' test "$(wc -w <<<"$commands")" -ge 14
for command in $commands; do
    accepts "$command" --help
    cp "$out" by-option.txt
    holds "$command --help fits 80 columns" test "$(widest)" -le 80
    accepts help "$command"
    [[ $command == help ]] || holds "help $command says the same" cmp -s "$out" by-option.txt
    holds "$command says how it is called" grep -q "^Usage: espalier $command" "$out"
done
accepts help directory add
holds 'commands of commands, too' grep -q '^Usage: espalier directory add' "$out"
accepts help
cp "$out" all.txt
accepts --help
holds 'help alone is --help' cmp -s "$out" all.txt
accepts help measure
holds 'measure tells its options without a launcher' grep -q -- '--budget TIME' "$out"

# What was mistyped.
rejects 2 'pla: no command has this name; did you mean plan\?' pla
rejects 2 'xyzzy: no command has this name; espalier --help lists them' xyzzy
rejects 2 'pla: no command has this name; did you mean plan\?' help pla
rejects 2 'bcast: no command has this name; did you mean espalier plan broadcast\?' bcast
rejects 2 'allreduce: no command has this name; did you mean espalier plan allreduce\?' allreduce "$table4"
rejects 2 '--algoritm: espalier plan has no such option; did you mean --algorithm\?' plan broadcast "$table4" --algoritm ecef
rejects 2 'one word too many' plan broadcast "$table4" "$table4"
rejects 2 'bcast: is none of broadcast, .*; did you mean broadcast\?' plan bcast
rejects 2 'bcast: is not a collective operation; did you mean broadcast\?' plan bcast "$table4"
rejects 2 'sing: is not a collective operation; there are broadcast' plan sing "$table4"
rejects 2 "'ecf' is none of .*; did you mean ecef" plan broadcast "$table4" --bytes 8 --algorithm ecf
rejects 2 'gird: nothing of this kind .*; did you mean grid\?' generate gird
rejects 2 "'4M' is not a size .*; write 4MiB \(by 1024\) or 4MB \(by 1000\)" plan broadcast "$table4" --bytes 4M

# Files of no kind that is drawn, and of what may be.
printf '{"format":"espalier-order","version":1}' >order.json
rejects 2 "order.json: format: 'espalier-order' is none of espalier-schedule, espalier-ring, espalier-network, espalier-run, espalier-comparison, espalier-study, espalier-doctor" report order.json -o order.svg
printf '{}' >empty.json
rejects 2 'empty.json: format: is missing' report empty.json

# Sizes as they were given; times of a column in one unit; verdicts in lines of 80 columns.
accepts plan broadcast "$table4" --bytes 1MB --algorithm ecef
holds 'a size comes back as it was given' grep -q '^Broadcast of 1 MB from c0' "$out"
holds 'times are in one unit' grep -Eq '^  from  to +bytes +segments +start \(ms\) +end \(ms\)$' "$out"
accepts plan broadcast "$table4" --bytes 1MB --ranks --algorithm ecef
holds 'lines fit 80 columns' test "$(widest)" -le 80
holds 'messages of many nodes are summed up by cluster' \
    grep -Eq '^  from  to +messages +bytes +first start \(ms\) +last end \(ms\)$' "$out"
holds 'a row for those between c0 and c1' grep -Eq '^  c0    c1 +1 +1 MB ' "$out"
holds 'and how many there are' grep -q '^  87 messages by cluster; -o SCHEDULE.json writes them all$' "$out"
accepts plan broadcast "$root/examples/gusto/network.json" --bytes 1MB --algorithm flat
holds 'what it takes' grep -Eq '^makespan [0-9.]+ s, at most .* over the best ' "$out"
holds 'what no plan beats' grep -Eq '^no(ne| schedule) .* takes less than ' "$out"
accepts plan broadcast "$root/examples/liu-2002-figure-1/network.json"
holds 'a proof' grep -q '^makespan 3 unit, proven optimal$' "$out"

# Tables keep to a terminal's columns; elsewhere a row is a line.
at_terminal() { python3 "$root/tests/endtoend/columns.py" 80 "$cli" "$@" | sed 's/.*\r//; s/\x1b\[[0-9;]*[Km]//g' >"$out"; }
at_terminal algorithms
holds 'algorithms keep to 80 columns' test "$(widest)" -le 80
words() { tr -s ' \n' '\n' | sort; }
holds 'without losing a word' cmp <(words <"$out") <("$cli" algorithms | words)
at_terminal ring "$root/examples/tiers/network.json" --work 1 --exchange 0.3 --algorithm greedy --time-limit 200ms
holds 'rings keep to 80 columns' test "$(widest)" -le 80
at_terminal plan broadcast "$table4" --bytes 64KiB --explain --time-limit 200ms
holds 'explanations keep to 80 columns' test "$(widest)" -le 80
accepts generate gusto --nodes 6 -o gusto.json
at_terminal rehearse alltoall gusto.json --noise 0.5 --bytes 1MB --time-limit 100ms
holds 'rehearsals keep to 80 columns' test "$(widest)" -le 80
accepts algorithms
holds 'an algorithm is a line for programs' grep -Eq '^  ecef-lat-max +grid +.* steffenel-2006 5.6' "$out"

accepts export "$table4" --for openmpi-tuned --bytes 1KiB --collectives broadcast,reduce
at_terminal export "$table4" --for openmpi-tuned --bytes 1KiB --collectives broadcast,reduce -o rules
holds 'rules are a table and a warning of 80 columns' test "$(grep -v '^Use it so' "$out" | awk '{ if (length($0) > most) most = length($0) } END { print most }')" -le 80
holds 'the warning is there' grep -q '^espalier: warning: Open MPI follows' "$out"
at_terminal network "$root/examples/table4/measured.json"
holds 'networks keep to 80 columns' test "$(widest)" -le 80
at_terminal compare broadcast "$table4" --bytes 1KiB --time-limit 100ms
holds 'comparisons keep to 80 columns' test "$(widest)" -le 80

# Colour is for terminals, of people who want it.
coloured() { TERM=xterm python3 "$root/tests/endtoend/columns.py" 80 "$cli" "$@" >"$out"; }
coloured xyzzy
holds 'an error is red' grep -q $'^\x1b\\[1m\x1b\\[31mespalier:\x1b\\[0m xyzzy: no command' "$out"
coloured help plan
holds 'headings are bold' grep -q $'^\x1b\\[1mOptions\x1b\\[0m:$' "$out"
NO_COLOR=1 coloured help plan
holds 'not where it is not wanted' grep -q '^Options:$' "$out"
accepts help plan
holds 'nor in a file' grep -q '^Options:$' "$out"

# What was written is said, and not among the result.
accepts plan broadcast "$table4" --bytes 8 --algorithm ecef -o plan.json --timeline plan.svg --json
holds 'the result is JSON alone' python3 -c 'import json, sys; json.load(open(sys.argv[1]))' "$out"
holds 'the schedule' grep -Eq '^espalier: wrote plan.json \([0-9.]+ (kB|B)\)$' "$err"
holds 'the picture' grep -Eq '^espalier: wrote plan.svg \(' "$err"
run plan broadcast "$table4" --bytes 1MiB --progress
holds 'how long it has been at work' grep -q 'planning, [0-9.]* s' "$err"

# Numbers out of the ordinary.
printf '{"format":"espalier-network","version":1,"model":"pairwise","nodes":[{"name":"a"},{"name":"b"}],"startup_s":[[0,1e300],[1e-9,0]],"bandwidth_Bps":[[0,1e300],[1e300,0]]}' >far.json
accepts compare broadcast far.json --bytes 1 --time-limit 100ms
grep '%' "$out" >rows.txt
holds 'a time of 1e300 s is no table of 300 columns' test "$(awk '{print length($0)}' rows.txt | sort -n | tail -1)" -le 100
accepts plan broadcast far.json --bytes 1 --root a --algorithm flat --time-limit 100ms
holds 'nor a distance of as many digits' test "$(widest)" -le 80
accepts network far.json
holds 'nor a matrix' test "$(widest)" -le 80
rejects 2 '--nodes: 1000000000000 are too many' generate sender --nodes 1000000000000
rejects 2 '--nodes: 10000000 would make a file of 2 PB|--nodes: 10000000 would make a file of' generate gusto --nodes 10000000
rejects 2 '--hosts: 1000000000000 would make a file of' generate tiers --hosts 1000000000000

# A table as programs of other countries write it, and names of any script.
printf ';東京;oslo\n東京;0;10\noslo;10;0\n' >semicolons.csv
accepts network semicolons.csv
holds 'columns are aligned' grep -q '^  1  東京$' "$out"
printf ';a;b\na;0;1,5\nb;1,5;0\n' >commas.csv
rejects 2 "'1,5' is not a number; a point stands before decimals" partition commas.csv

# Rates of a partition; of a table that does not say its unit, none.
accepts partition "$table4" --metric bandwidth
holds 'rates have a unit' grep -Eq '^  0 +125 MB/s' "$out"
accepts partition semicolons.csv --metric bandwidth
holds 'a table states no unit' grep -Eq '^  0 +(0.1|10)$' "$out"

# What a size does not change.
accepts generate grid --clusters 3 -o sizeless.json
accepts plan broadcast sizeless.json --bytes 4MiB
holds 'it is said' grep -q 'no cost in it depends on the size of a message' "$err"

# What is too much to draw each is drawn at once, and says so.
accepts generate sender --nodes 100000 --classes 3 -o senders.json
accepts plan broadcast senders.json --timeline senders.svg
holds 'it is small' test "$(stat -c %s senders.svg)" -lt 2000000
holds 'it says what is left out' grep -q 'senders.svg: 99999 messages between 100000 nodes are too many to draw each' "$err"
holds 'it is a picture' python3 -c 'import sys, xml.dom.minidom as x; x.parse(sys.argv[1])' senders.svg
accepts plan broadcast senders.json --timeline senders.html
holds 'a page, too' grep -q 'messages are summed up' senders.html

# At a terminal long work says what it is.
accepts generate sender --nodes 300000 --classes 3 -o senders.json
accepts plan broadcast senders.json -o long.json
for words in 'report long.json -o long.svg' 'check long.json --network senders.json'; do
    # shellcheck disable=SC2086
    python3 "$root/tests/endtoend/columns.py" 80 "$cli" $words >"$out"
    holds "${words%% *} says what it does" grep -Eq '(drawing long.svg|checking long.json), [0-9.]+ s' "$out"
done

# What auto took.
accepts compare broadcast "$table4" --bytes 1MB --time-limit 300ms --json
json_holds 'auto says what it took' '[r["chosen"] in [o["algorithm"] for o in d["results"]] for r in d["results"] if r["algorithm"] == "auto"] == [True]'

# Manual pages and completion are made of the same.
for command in '' plan run directory 'directory add'; do
    # shellcheck disable=SC2086
    accepts help $command --man
    holds "the page of '$command' is roff" bash -c "head -1 '$out' | grep -q '^.TH ESPALIER'"
    if command -v groff >/dev/null; then
        holds "groff takes the page of '$command'" bash -c "test -z \"\$(groff -man -Tascii -ww '$out' 2>&1 >/dev/null)\""
    fi
done
for command in measure doctor run; do
    accepts help "$command" --man
    holds "the page of $command names each MPI" grep -q 'fB.*mpi.*fI *openmpi|mpich' "$out"
done
holds 'the page of run has the variables that docs/runtime.md has' cmp \
    <(sed -n 's/^| `\(ESPALIER[A-Z_]*\)` |.*/\1/p' "$root/docs/runtime.md" | sort) \
    <(tr -d '\\' <"$out" | sed -n 's/^fB\(ESPALIER[A-Z_]*\)fR.*/\1/p' | sort)
accepts help top --man
holds 'the page of top has its own' grep -q 'fBESPALIER_METRICS' "$out"
holds 'and no other' test "$(grep -c 'fBESPALIER' "$out")" = 1
accepts help plan --man
for option in $("$cli" help plan | grep -o -- '--[a-z-]*' | sort -u); do
    holds "its page has $option" grep -qF -- "${option//-/\\-}" "$out"
done
for shell in bash zsh fish; do
    accepts completion "$shell"
    cp "$out" "completion.$shell"
    holds "$shell reads its completion" "$shell" -n "completion.$shell"
done
rejects 2 'no completion is made for it' completion csh
bash_completes() {
    bash -c 'source ./completion.bash; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _espalier; printf "%s\n" "${COMPREPLY[@]}"' - "$@"
}
fish_completes() {
    HOME=$work XDG_CONFIG_HOME=$work fish -c "source completion.fish; complete -C '$*'" | cut -f1
}
# zsh completes in its line editor alone, which wants a terminal; the matches are caught on their way.
mkdir -p functions
cp completion.zsh functions/_espalier
cat >catch.zsh <<'ZSH'
fpath=($PWD/functions $fpath)
autoload -Uz compinit
compinit -u -D
compadd() {
    local -a matches
    if ((! ${@[(I)-[AOD]]})); then
        builtin compadd -O matches "$@"
        print -rl -- $matches >>found
    fi
    builtin compadd "$@"
}
catch() {
    _main_complete
    compstate[insert]= compstate[list]=
    : >caught
}
zle -C catch complete-word catch
bindkey '^T' catch
: >ready
ZSH
zsh_completes() {
    rm -f found caught ready
    timeout 60 zsh -f -c '
        zmodload zsh/zpty zsh/zselect
        zpty shell zsh -f -i
        zpty -w shell source ./catch.zsh
        until [[ -e ready ]]; do zselect -t 5; done
        zpty -n -w shell "$1"$'"'\\x14'"'
        until [[ -e caught ]]; do zselect -t 5; done
        zpty -d shell' - "$*"
    cat found
}
# completes WORD... EXPECTED: what each shell makes of the words, in any order.
completes() {
    local expected words=("${@:1:$#-1}") found shell
    expected=$(tr ' ' '\n' <<<"${*: -1}" | sort)
    for shell in bash zsh fish; do
        found=$("${shell}_completes" "${words[@]}" | sort -u)
        holds "$shell completes ${words[*]}: $expected, not $found" test "$found" = "$expected"
    done
}
completes espalier pla 'plan'
completes espalier plan all 'allreduce allgather alltoall'
completes espalier plan broadcast x.json --seg '--segment'
completes espalier plan broadcast x.json --view re 'receive-columns'
completes espalier directory pr 'prune'
completes espalier directory export --ol '--old'
completes espalier run --mpi '' 'openmpi mpich'
completes espalier help comp 'compare completion'
completes espalier completion '' 'bash fish zsh'
mkdir -p only && touch only/file.json
holds 'bash leaves files to its default' test -z "$(bash_completes espalier plan broadcast x.json -o '')"
for shell in zsh fish; do
    holds "$shell completes files" grep -q 'file.json$' <<<"$("${shell}_completes" espalier plan broadcast x.json -o only/)"
done
finish
