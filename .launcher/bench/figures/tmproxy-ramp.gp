# What the paper could not drive yet (its section 6): a step and smooth ramps, second by second, at the highest rate. in, out
load here.'/style.gp'
set term svg size 900,420 font 'sans-serif,13' background rgb '#ffffff'
set output out
set lmargin 11; set rmargin 9
set logscale y
set y2tics
set y2range [0:*]
set y2label 'requests/s'
set xlabel 'seconds'
set ylabel 'T_r of hits, 95th percentile, ms'
stats in using 1:2 nooutput
n = STATS_blocks
array COLOUR[4] = [BLUE, RED, GREEN, VIOLET]
plot in index 0 using 1:2 axes x1y2 with filledcurves y1=0 fc rgb '#e9eef5' notitle, \
     for [i=0:n-1] in index i using 1:3 with lines lw 2 lc rgb COLOUR[i+1] title columnheader(1)
