# Draws what `run` wrote: gnuplot -c bench/grid-tcp/plot.gp DATA.csv OUT.svg TITLE
set terminal svg size 1280,560 font "sans,12" background "white"
set output ARG2
set title ARG3 noenhanced
set datafile separator ","
set key top left reverse Left horizontal noenhanced samplen 1 opaque
set grid ytics lc rgb "#dddddd"
set border 3
set tics nomirror out
set logscale y
set ylabel "ms, until the last rank is done"
set xtics rotate by 50 right noenhanced
set offsets 0.5, 0.5, 0, 0
plot ARG1 using 0:2:xtic(1) with points pt 7 lc rgb "#999999" title columnheader(2), \
     "" using 0:3 with points pt 9 lc rgb "#1b7837" title columnheader(3), \
     "" using 0:4 with points pt 11 lc rgb "#2166ac" title columnheader(4), \
     "" using 0:5:(0.4) with xerrorbars pt 0 lc rgb "#b2182b" title columnheader(5)
