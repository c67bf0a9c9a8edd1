// The program itself: its options, its clock, and its end by a fault. Includes no other part.

#ifndef PROGRAM_H
#define PROGRAM_H

enum { MOST_LINES = 4096, MOST_STREAMS = 64, MOST_PIDS = 64 };

typedef struct {
    int port, connections, streams, closing, once, tls, resume, http2, onlyErrors, pidCount;
    int pids[MOST_PIDS];
    const char *path, *unique, *log;
    long expected, zipf, count, mark;
    unsigned long long seed;
    double rate, seconds, hold;
} Options;

extern Options options;

void readOptions(int argc, char **argv);
long long now(void); // in nanoseconds
void fail(const char *what);

#endif
