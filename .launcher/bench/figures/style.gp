# Light, plain, legible in a README: what all figures share.
set encoding utf8
set border 3 lc rgb '#444444'
set tics nomirror textcolor rgb '#222222'
set grid lc rgb '#e4e4e4' lw 1
set key outside top center horizontal samplen 2 textcolor rgb "#222222"
BLUE = '#1f5fa8'; RED = '#c2410c'; GREEN = '#2f7d32'; GREY = '#777777'; VIOLET = '#6b3fa0'
