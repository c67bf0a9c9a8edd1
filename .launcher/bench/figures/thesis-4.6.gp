# Figures 4.5 to 4.12. in, out: directories. Columns of in/apache.dat and in/nginx.dat: 1 minute, 2 processes, 3 free
# memory and cache, 4 faults, 5 switches, 6 calls, 7 interrupts, 8 user, 9 kernel, 10 idle, 11 arrivals, 12 ended,
# 13 concurrent, 14 Mbit/s, 15 read and write calls, 16 memory
# against the time at rest.
load here.'/style.gp'
set term svg size 820,440 font 'sans-serif,13' background rgb '#ffffff'
a = in.'/apache.dat'; n = in.'/nginx.dat'
A = 'Apache prefork (thesis: WWW1, Apache 1.3)'; N = 'nginx, one worker (thesis: WWW2, chamomile)'
set xlabel 'minutes'
set yrange [0:*]

set output out.'/figure-4.6-processes.svg'
set title 'Processes of the server (thesis: figure 4.6)' font ',15'
set ylabel 'processes'
plot a using 1:2 with lines lw 2 lc rgb RED title A, n using 1:2 with lines lw 2 lc rgb BLUE title N

set output out.'/figure-4.7-memory-and-page-faults.svg'
set title 'Memory and page faults of Apache (thesis: figure 4.7)'
set ylabel 'page faults/s of '.system('cat '.in.'/faults-of.txt')
set y2label 'memory left, MB more than at rest'
set y2tics textcolor rgb '#222222'
set border 11
set yrange [0:*]; set y2range [*:*]
plot a using 1:4 with lines lw 1.5 lc rgb RED title 'page faults (left)', \
     a using 1:16 axes x1y2 with lines lw 2 lc rgb GREEN title 'memory (right)'

set output out.'/figure-4.8-memory-and-processes.svg'
set title 'Memory and processes (thesis: figure 4.8)'
set ylabel 'processes'
plot a using 1:2 with lines lw 2 lc rgb RED title 'Apache: processes (left)', \
     a using 1:16 axes x1y2 with lines lw 2 dt 2 lc rgb RED title 'Apache: memory (right)', \
     n using 1:2 with lines lw 2 lc rgb BLUE title 'nginx: processes (left)', \
     n using 1:16 axes x1y2 with lines lw 2 dt 2 lc rgb BLUE title 'nginx: memory (right)'
unset y2tics; unset y2label
set border 3

set output out.'/figure-4.9-context-switches.svg'
set title 'Context switches of '.system('cat '.in.'/switches-of.txt').' (thesis: figure 4.9)'
set ylabel 'context switches/s'
plot a using 1:5 with lines lw 1.5 lc rgb RED title A, n using 1:5 with lines lw 1.5 lc rgb BLUE title N

if (strlen(system('cat '.in.'/calls.txt')) > 0) {
  set output out.'/figure-4.10-system-calls.svg'
  set title 'System calls of the whole machine (thesis: figure 4.10)'
  set ylabel 'system calls/s'
  plot a using 1:6 with lines lw 1.5 lc rgb RED title A, n using 1:6 with lines lw 1.5 lc rgb BLUE title N
}
if (strlen(system('cat '.in.'/readWriteCalls.txt')) > 0) {
  set output out.'/figure-4.10-read-and-write-calls.svg'
  set title "Read and write calls of the server's processes (compare figure 4.10)"
  set ylabel 'read and write calls/s'
  plot a using 1:15 with lines lw 1.5 lc rgb RED title A, n using 1:15 with lines lw 1.5 lc rgb BLUE title N
}

set output out.'/figure-4.11-interrupts.svg'
set title 'Interrupts of the whole machine (thesis: figure 4.11)'
set ylabel 'interrupts/s'
plot a using 1:7 with lines lw 1.5 lc rgb RED title A, n using 1:7 with lines lw 1.5 lc rgb BLUE title N

set term svg size 820,640 font 'sans-serif,13' background rgb '#ffffff'
set output out.'/figure-4.12-cpu.svg'
set lmargin 9; set rmargin 3
set multiplot layout 2,1 title "CPU use of the server's processor (thesis: figure 4.12)" font ',15'
set yrange [0:100]
set ylabel 'percent'
unset xlabel
set title A font ',13'
plot a using 1:10 with lines lw 1.5 lc rgb GREY title 'idle', a using 1:8 with lines lw 1.5 lc rgb BLUE title 'user', \
     a using 1:9 with lines lw 1.5 lc rgb RED title 'kernel'
set xlabel 'minutes'
set title N
plot n using 1:10 with lines lw 1.5 lc rgb GREY title 'idle', n using 1:8 with lines lw 1.5 lc rgb BLUE title 'user', \
     n using 1:9 with lines lw 1.5 lc rgb RED title 'kernel'
unset multiplot

set term svg size 820,760 font 'sans-serif,13' background rgb '#ffffff'
set output out.'/figure-4.5-packets.svg'
set multiplot layout 3,1 title 'Indices of both servers from packets (thesis: figure 4.5)' font ',15'
set yrange [0:*]
unset title; unset xlabel
set ylabel 'connections/s'
plot a using 1:11 with lines lw 1.5 lc rgb RED title 'arrivals, Apache', a using 1:12 with lines lw 1 dt 3 lc rgb RED title 'processed, Apache', \
     n using 1:11 with lines lw 1.5 lc rgb BLUE title 'arrivals, nginx', n using 1:12 with lines lw 1 dt 3 lc rgb BLUE title 'processed, nginx'
set ylabel 'connections'
plot a using 1:13 with lines lw 1.5 lc rgb RED title 'N_c, Apache' noenhanced, n using 1:13 with lines lw 1.5 lc rgb BLUE title 'N_c, nginx' noenhanced
set xlabel 'minutes'
set ylabel 'Mbit/s'
plot a using 1:14 with lines lw 1.5 lc rgb RED title 'traffic, Apache', n using 1:14 with lines lw 1.5 lc rgb BLUE title 'traffic, nginx'
unset multiplot
