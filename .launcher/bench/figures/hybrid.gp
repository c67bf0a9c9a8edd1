# Disk off-peak, memory only at the peak: the 99th percentile of hits through a smooth ramp, and when it was decided. in, switches, out
load here.'/style.gp'
set term svg size 900,460 font 'sans-serif,13' background rgb '#ffffff'
set output out
set lmargin 11; set rmargin 9
set logscale y
set y2tics
set y2range [0:*]
set y2label 'requests/s'
set xlabel 'seconds'
set ylabel 'T_r of hits, 99th percentile, ms'
stats in using 1:2 nooutput
n = STATS_blocks
array COLOUR[5] = [BLUE, RED, VIOLET, GREEN, GREY]
plot in index 0 using 1:2 axes x1y2 with filledcurves y1=0 fc rgb '#e9eef5' notitle, \
     for [i=0:n-1] in index i using 1:3 with lines lw 2 lc rgb COLOUR[i+1] title columnheader(1), \
     switches using 1:(column(2) > 0 ? 1 : NaN):(0):(1000) with vectors nohead lw 1 dt 2 lc rgb RED title 'to memory only', \
     switches using 1:(column(2) == 0 ? 1 : NaN):(0):(1000) with vectors nohead lw 1 dt 2 lc rgb GREEN title 'to memory and disk'
