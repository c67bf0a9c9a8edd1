# Figure 5.4: how often which response time meets which transfer time. in, out
load here.'/style.gp'
set term svg size 820,640 font 'sans-serif,13' background rgb '#ffffff'
set output out
set title 'Response time × transfer time at the client side (thesis: figure 5.4)' font ',15'
set logscale xy
set format x '%g'; set format y '%g'
set xlabel 'response time T_r, ms' noenhanced
set ylabel 'transfer time T_d (to the end of the connection), ms' noenhanced
set xrange [0.02:10000]; set yrange [0.02:10000]
set logscale cb
set format cb '%g'
set cblabel 'share of all connections, %'
set palette defined (0 '#dce9f7', 0.5 '#4a90d9', 1 '#0b2f5c')
unset key
plot in using (sqrt($1*$2)):(sqrt($3*$4)):1:2:3:4:5 with boxxyerror fs solid 1 noborder lc palette
