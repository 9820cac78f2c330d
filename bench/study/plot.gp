# Draws the two pictures of the study: gnuplot -c bench/study/plot.gp FOLDER [svg|png]
# FOLDER is what bench_study was told with --output; the pictures go there, too.
folder = ARG1
kind = (ARGC > 1) ? ARG2 : "svg"
if (kind eq "png") {
    set terminal pngcairo size 900,560 font "sans,11"
} else {
    set terminal svg size 900,560 font "sans,12" background "white"
}
set datafile separator ","
set key outside right center noenhanced samplen 4 reverse Left
set grid ytics lc rgb "#dddddd"
set border 3
set tics nomirror out
set xlabel "clusters"
set ylabel "mean completion time (s)"
set yrange [0:*]

# A colour for each family; dashes and points tell its members apart.
begins(name, with) = (strstrt(name, with) == 1)
colour(name) = begins(name, "ecef-lat") ? "#00a0c8" \
             : begins(name, "ecef-la") ? "#1f5fbf" \
             : begins(name, "ecef") ? "#0b2f6b" \
             : begins(name, "bottom-up") ? "#2c9a3f" \
             : (name eq "fef") ? "#e0701a" \
             : (name eq "binomial") ? "#a0509a" \
             : "#555555"
dash(name) = (name eq "multilevel" || begins(name, "ecef-la-average")) ? 2 \
           : (name eq "ecef-lat-max" || name eq "bottom-up-la") ? 3 : 1

do for [figure in "few-clusters many-clusters"] {
    data = folder . "/" . figure . ".csv"
    names = system("head -n 1 '" . data . "' | cut -d , -f 2- | tr , ' '")
    set output folder . "/" . figure . "." . kind
    plot for [i=1:words(names)] data using 1:(column(i + 1)) with linespoints lw 1.6 ps 0.7 pt i \
        lc rgb colour(word(names, i)) dt dash(word(names, i)) title word(names, i)
}
