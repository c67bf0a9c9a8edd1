# The paper's figures 6.1 to 6.4: throughput against HTTP/1.0 by agents, one panel a distance. in, out
load here.'/style.gp'
stats in using 1:2 nooutput
n = STATS_blocks
set term svg size 260*n+40,360 font 'sans-serif,12' background rgb '#ffffff'
set output out
set multiplot layout 1,n
set logscale x
set xtics (1, 8, 32, 100, 200)
set xrange [0.8:260]
set yrange [0:5]
set xlabel 'agents'
set key top left
do for [i=0:n-1] {
  if (i == 0) { set ylabel 'times HTTP/1.0 through Squid' } else { unset ylabel }
  plot in index i using 1:4 with linespoints lw 2 pt 7 ps 0.6 lc rgb RED title columnheader(1).': line', \
       in index i using 1:2 with linespoints lw 1.5 pt 6 ps 0.6 lc rgb BLUE title 'HTTP/1.1', \
       in index i using 1:3 with linespoints lw 1.5 pt 4 ps 0.6 lc rgb GREEN title 'HTTP/2'
}
unset multiplot
