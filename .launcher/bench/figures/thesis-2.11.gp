# Figures 2.8 and 2.11 to 2.13. in, out: directories. in/series.dat: minute, N_c by packets, N_c by log, arrivals by
# packets, requests by log.
load here.'/style.gp'
set term svg size 820,440 font 'sans-serif,13' background rgb '#ffffff'

set output out.'/figure-2.8-durations.svg'
set title 'Duration of connections (thesis: figure 2.8)' font ',15'
set logscale x; set format x '%g'
set xlabel 'duration T_c, ms' noenhanced
set ylabel 'share of connections, %'
set yrange [0:*]
plot in.'/packets.hist' with lines lw 2 lc rgb BLUE title 'by packets', in.'/log.hist' with lines lw 2 lc rgb RED title "by the server's log"
unset logscale x

set output out.'/figure-2.11-concurrent-connections.svg'
set title 'Concurrent connections (thesis: figures 2.11 and 2.12 in one, logarithmic)'
set logscale y; set format y '%g'
set xlabel 'minutes'; set ylabel 'N_c, mean of a second' noenhanced
set yrange [0.001:*]
plot in.'/series.dat' using 1:2 with lines lw 2 lc rgb BLUE title 'by packets', '' using 1:($3 > 0 ? $3 : NaN) with lines lw 1.5 lc rgb RED title "by the server's log"
unset logscale y

set output out.'/figure-2.13-arrivals.svg'
set title 'Connections a second (thesis: figure 2.13)'
set ylabel 'connections/s'
set yrange [0:*]
plot in.'/series.dat' using 1:4 with lines lw 2 lc rgb BLUE title 'by packets', '' using 1:5 with lines lw 1 lc rgb RED title "by the server's log"
