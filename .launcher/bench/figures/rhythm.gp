# Compressed days: arrivals, the 99th percentile of hits, and when only memory was used (learned ahead: darker). in, switches, out
load here.'/style.gp'
set term svg size 1100,420 font 'sans-serif,13' background rgb '#ffffff'
set output out
set lmargin 11; set rmargin 9
set logscale y
set y2tics
set y2range [0:*]
set y2label 'requests/s'
set xlabel 'seconds'
set ylabel 'T_r of hits, 99th percentile, ms'
plot in using 1:2 axes x1y2 with filledcurves y1=0 fc rgb '#e9eef5' title 'requests/s', \
     in using 1:3 with lines lw 2 lc rgb BLUE title 'p99 of hits', \
     switches using 1:(column(3) == 0 ? 1 : NaN):(column(2)-column(1)):(0) with vectors nohead lw 7 lc rgb RED title 'memory only, by the load', \
     switches using 1:(column(3) == 1 ? 1 : NaN):(column(2)-column(1)):(0) with vectors nohead lw 7 lc rgb VIOLET title 'memory only, expected first'
