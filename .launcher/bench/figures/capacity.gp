# T_r by rate: observed below the knee, the forecast curve, measured later. in (a directory), server, top, limit, out
load here.'/style.gp'
set term svg size 640,400 font 'sans-serif,12' background rgb '#ffffff'
set output out
set xlabel 'requests a second'
set ylabel 'mean T_r, ms' noenhanced
set yrange [0:top + 0]
set title server.': T_r observed up to 60 % of the knee, forecast, measured later'
plot in.'/'.server.'-later.dat' with points pt 6 lc rgb RED title 'measured later', \
     in.'/'.server.'-curve.dat' with lines lw 2 lc rgb BLUE title 'forecast', \
     in.'/'.server.'-seen.dat' with points pt 7 lc rgb GREEN title 'observed', \
     limit + 0 with lines dt 2 lc rgb GREY title 'limit'
