# Figure 4.3: cumulative distribution of the response time. in (a directory), out
load here.'/style.gp'
set term svg size 820,560 font 'sans-serif,13' background rgb '#ffffff'
set output out
set title 'Response time of Apache, 300 requests/s (thesis: figure 4.3)' font ',15'
set logscale x
set format x '%g'
set xlabel 'response time T_r, ms' noenhanced
set ylabel 'cumulative share'
set yrange [0:1]
plot in.'/cdf-without.dat' with lines lw 4 lc rgb '#b8b8b8' title 'without an agent', \
     in.'/cdf-rep2.dat' with lines lw 2 lc rgb BLUE title 'with rep2 (the host half)', \
     in.'/cdf-agent.dat' with lines lw 1.5 lc rgb RED dt 2 title 'with the whole agent'
