# The paper's figure 4: bytes moved by the number of visitors, a curve a scheme. in, out
load here.'/style.gp'
set term svg size 900,420 font 'sans-serif,13' background rgb '#ffffff'
set output out
set lmargin 11; set rmargin 3
set logscale x
set xtics (50, 100, 200, 500)
set xrange [40:620]
set yrange [0:*]
set xlabel 'visitors'
set ylabel 'MB moved on both sides'
stats in using 1:2 nooutput
n = STATS_blocks
array COLOUR[4] = [GREY, BLUE, GREEN, RED]
plot for [i=0:n-1] in index i using 1:2:3:4 with yerrorlines lw 2 pt 7 ps 0.6 lc rgb COLOUR[i+1] title columnheader(1)
