# Draws what grid.py wrote: gnuplot -c bench/smpi/grid.gp FOLDER [svg|png]
folder = ARG1
kind = (ARGC > 1) ? ARG2 : "svg"
if (kind eq "png") {
    set terminal pngcairo size 960,600 font "sans,11"
} else {
    set terminal svg size 960,600 font "sans,12" background "white"
}
set datafile separator ","
set key outside right center noenhanced samplen 3
set grid ytics lc rgb "#dddddd"
set border 3
set tics nomirror out
set xlabel "message (bytes)"
set ylabel "broadcast (s)"
set logscale x 2
set logscale y
set format x "2^{%L}"
data = folder . "/grid.csv"
stats data skip 1 nooutput
columns = int(STATS_columns)
set output folder . "/grid." . kind
plot for [c=2:columns:2] data using 1:c with lines lw 1.3 dt 2 lc c / 2 notitle, \
     for [c=3:columns:2] data using 1:c with linespoints pt c / 2 ps 0.6 lc (c - 1) / 2 \
         title columnheader(c)
