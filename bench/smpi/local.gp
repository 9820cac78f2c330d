# Draws what local.py wrote: gnuplot -c bench/smpi/local.gp FOLDER [svg|png]
folder = ARG1
kind = (ARGC > 1) ? ARG2 : "svg"
if (kind eq "png") {
    set terminal pngcairo size 860,520 font "sans,11"
} else {
    set terminal svg size 860,520 font "sans,12" background "white"
}
set datafile separator ","
set key outside right center noenhanced samplen 3
set grid ytics lc rgb "#dddddd"
set border 3
set tics nomirror out
set ylabel "broadcast (s)"
set logscale y
set format y "10^{%T}"

# Two columns a curve: what was predicted (dashed) and what was executed (points).
set xlabel "processes"
do for [strategy in "flat binomial chain-segmented"] {
    data = folder . "/" . strategy . ".csv"
    set output folder . "/" . strategy . "." . kind
    stats data skip 1 nooutput
    columns = int(STATS_columns)
    plot for [c=2:columns:2] data using 1:c with lines lw 1.5 dt 2 lc c / 2 title columnheader(c), \
         for [c=3:columns:2] data using 1:c with points pt 7 ps 0.5 lc c / 2 title columnheader(c)
}
set xlabel "message (bytes)"
set logscale x 2
set format x "2^{%L}"
data = folder . "/sizes.csv"
set output folder . "/sizes." . kind
stats data skip 1 nooutput
columns = int(STATS_columns)
plot for [c=2:columns:2] data using 1:c with lines lw 1.5 dt 2 lc c / 2 title columnheader(c), \
     for [c=3:columns:2] data using 1:c with points pt 7 ps 0.7 lc c / 2 title columnheader(c)
