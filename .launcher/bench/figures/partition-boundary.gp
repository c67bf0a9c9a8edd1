# S_cur and S_target while the sweep goes on. in (a directory), out
load here.'/style.gp'
set term svg size 820,560 font 'sans-serif,13' background rgb '#ffffff'
set output out
set title 'Size of the protected pool during the sweep' font ',15'
set xlabel 'requests'
set ylabel 'MB'
set yrange [0:*]
set format x '%.0f'
plot in.'/series-basic-lru.dat' using 1:2 with lines lw 2 lc rgb '#b8b8b8' title 'basic, LRU: S_{cur}', \
     in.'/series-partition-lru-20.dat' using 1:2 with lines lw 2 lc rgb BLUE title 'LRU, α = 20 %: S_{cur}', \
     in.'/series-partition-lru-20.dat' using 1:3 with lines lw 1 dt 2 lc rgb BLUE title 'S_{target}', \
     in.'/series-partition-lru-100.dat' using 1:2 with lines lw 1.5 lc rgb RED title 'LRU, α = 100 %: S_{cur}', \
     in.'/series-partition-lfu-20.dat' using 1:2 with lines lw 2 lc rgb GREEN title 'W-TinyLFU, α = 20 %: S_{cur}', \
     in.'/series-partition-lfu-20.dat' using 1:3 with lines lw 1 dt 2 lc rgb GREEN title 'S_{target}'
