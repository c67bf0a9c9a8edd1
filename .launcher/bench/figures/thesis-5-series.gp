# Figures 5.6 to 5.9: connections a second, connections at once, traffic; the three rates one after the other.
# in, out, title, side (client | origin)
load here.'/style.gp'
set term svg size 900,780 font 'sans-serif,13' background rgb '#ffffff'
set output out
c = side eq 'client' ? 2 : 6
set lmargin 11; set rmargin 3
set multiplot layout 3,1 title title font ',15'
set yrange [0:*]
set format x ''
set ylabel 'connections/s'
plot in using 1:c with lines lw 2 lc rgb BLUE title 'arrival rate', \
     in using 1:(column(c + 1)) with lines lw 1.5 lc rgb RED title 'processed rate'
set ylabel 'connections'
plot in using 1:(column(c + 2)) with lines lw 2 lc rgb GREEN title 'currently processing (N_c)' noenhanced
set format x '%g'
set xlabel 'minutes (100, 200, 300 requests/s)'
set ylabel 'Mbit/s'
plot in using 1:(column(c + 3)) with lines lw 2 lc rgb VIOLET title 'traffic, both directions'
unset multiplot
