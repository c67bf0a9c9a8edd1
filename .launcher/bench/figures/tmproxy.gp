# The paper's figure 10: response time of hits at the peak and off it, by the peak's rate. in, out
load here.'/style.gp'
set term svg size 900,420 font 'sans-serif,13' background rgb '#ffffff'
set output out
set lmargin 11; set rmargin 3
set logscale y
set xlabel 'requests/s at the peak (a quarter of it before and after)'
set ylabel 'T_r of hits, median, ms'
stats in using 1:2 nooutput
n = STATS_blocks
array COLOUR[4] = [BLUE, RED, GREEN, VIOLET]
plot for [i=0:n-1] in index i using 1:2 with linespoints lw 2 pt 7 ps 0.7 lc rgb COLOUR[i+1] title columnheader(1).', peak', \
     for [i=0:n-1] in index i using 1:3 with linespoints lw 1.5 dt 2 pt 6 ps 0.7 lc rgb COLOUR[i+1] notitle
