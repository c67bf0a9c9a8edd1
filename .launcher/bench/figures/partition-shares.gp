# The paper's three figures beside ours: shorter mean response times in percent. in (a directory), out
load here.'/style.gp'
set term svg size 820,480 font 'sans-serif,13' background rgb '#ffffff'
set output out
set title 'Reduction of the mean response time (paper: figure 3)' font ',15'
set style data histograms
set style histogram clustered gap 1
set style fill solid 0.9 noborder
set ylabel 'percent (below -100: cut off)'
set yrange [-100:100]
set grid noxtics
set xtics scale 0
set bmargin 4
plot in.'/bars.dat' using 2:xtic(1) lc rgb '#b8b8b8' title 'paper', \
     '' using 3 lc rgb BLUE title 'LRU in both pools', \
     '' using 4 lc rgb GREEN title 'W-TinyLFU in both', \
     '' using 5 lc rgb VIOLET title 'W-TinyLFU against basic with LRU'
