# Figures 3.3, 3.4, 3.6: arrival and processed rate, concurrent connections, CPU idle; below them the states of the state model.
# in, marks, title, out
load here.'/style.gp'
set term svg size 900,780 font 'sans-serif,13' background rgb '#ffffff'
set output out
set lmargin 11; set rmargin 14
stats in using 2:3 name 'RATE' nooutput
stats in using 4 name 'AT_ONCE' nooutput
stats in using 1 nooutput
set xrange [0:STATS_max + 5]
set multiplot layout 3,1 title title font ',15'
rates = 1.05 * (RATE_max_x > RATE_max_y ? RATE_max_x : RATE_max_y)
connections = 1.05 * AT_ONCE_max
set yrange [0:rates]
set format x ''
set ylabel 'connections/s'
set style fill transparent solid 0.15 noborder
plot marks using ($1):(rates):($1):($2):(0):(rates) with boxxyerror lc rgb RED notitle, \
     in using 1:2 with lines lw 2 lc rgb BLUE title 'arrival rate', \
     in using 1:3 with lines lw 1.5 lc rgb RED title 'processed rate'
set ylabel 'connections'
set yrange [0:connections]
plot marks using ($1):(connections):($1):($2):(0):(connections) with boxxyerror lc rgb RED notitle, \
     in using 1:4 with lines lw 2 lc rgb GREEN title 'currently processing (N_c)' noenhanced, \
     marks using 1:(0.09 * connections * (int($0) % 4)):3 with labels left rotate by 0 offset 0.3,0.6 font ',11' textcolor rgb '#8a1c1c' noenhanced notitle
set format x '%g'
set xlabel 'seconds; shaded: states saturated and stopped'
set ylabel 'CPU idle, %'
set yrange [0:100]
plot in using 1:(100 * $5) with lines lw 2 lc rgb VIOLET title 'CPU idle'
unset multiplot
