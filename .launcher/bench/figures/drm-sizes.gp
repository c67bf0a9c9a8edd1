# The paper's figure 5: from the wish to the last byte by the document's size, at the largest number of visitors. in, out
load here.'/style.gp'
set term svg size 900,420 font 'sans-serif,13' background rgb '#ffffff'
set output out
set lmargin 11; set rmargin 3
set logscale xy
set xlabel 'document, bytes (upper end of its class)'
set ylabel 'mean, ms'
stats in using 1:2 nooutput
n = STATS_blocks
array COLOUR[4] = [GREY, BLUE, GREEN, RED]
plot for [i=0:n-1] in index i using 1:2 with linespoints lw 2 pt 7 ps 0.6 lc rgb COLOUR[i+1] title columnheader(1)
