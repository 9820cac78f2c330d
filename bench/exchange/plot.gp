# Draws Figures 9 to 12: gnuplot -c bench/exchange/plot.gp FOLDER [svg|png]
# FOLDER is what bench_exchange was told with --output; the pictures go there, too.
folder = ARG1
kind = (ARGC > 1) ? ARG2 : "svg"
if (kind eq "png") {
    set terminal pngcairo size 1300,560 font "sans,11"
} else {
    set terminal svg size 1300,560 font "sans,12" background "white"
}
set datafile separator ","
set grid ytics lc rgb "#dddddd"
set border 3
set tics nomirror out
set xlabel "nodes"

# A colour for each family; dashes tell its members apart.
begins(name, with) = (strstrt(name, with) == 1)
colour(name) = begins(name, "lower") ? "#000000" \
             : begins(name, "caterpillar") ? "#555555" \
             : begins(name, "greedy") ? "#e0701a" \
             : begins(name, "matching") ? "#2c9a3f" \
             : begins(name, "open-shop") ? "#1f5fbf" : "#a0509a"
dash(name) = (name eq "caterpillar-barrier" || name eq "matching-min" || begins(name, "lower")) ? 2 : 1

figures = "small large mixed servers"
titles = "'Figure 9: messages of 1 kB' 'Figure 10: messages of 1 MB' 'Figure 11: 1 kB and 1 MB mixed' 'Figure 12: a fifth are servers'"
do for [f=1:words(figures)] {
    figure = word(figures, f)
    times = folder . "/" . figure . ".csv"
    ratios = folder . "/" . figure . "-ratios.csv"
    time_names = system("head -n 1 '" . times . "' | cut -d , -f 2- | tr ' ' '~' | tr , ' '")
    ratio_names = system("head -n 1 '" . ratios . "' | cut -d , -f 2- | tr , ' '")
    set output folder . "/" . figure . "." . kind
    set multiplot layout 1,2 title word(titles, f)
    set key top left noenhanced samplen 3 reverse Left
    set ylabel "mean completion time (s)"
    set yrange [0:*]
    plot for [i=1:words(time_names)] times using 1:(column(i + 1)) with linespoints lw 1.6 ps 0.6 \
        pt i lc rgb colour(word(time_names, i)) dt dash(word(time_names, i)) \
        title (i == 1 ? "lower bound" : word(time_names, i))
    set ylabel "mean ratio to the lower bound"
    set yrange [1:*] noextend
    set logscale y
    set ytics (1, 1.1, 1.2, 1.5, 2, 3, 5)
    plot for [i=1:words(ratio_names)] ratios using 1:(column(i + 1)) with linespoints lw 1.6 ps 0.6 \
        pt i + 1 lc rgb colour(word(ratio_names, i)) dt dash(word(ratio_names, i)) notitle
    unset multiplot
    unset logscale y
    set ytics autofreq
}
