// The options as the command line gives them, the clock, and the end of the program by a fault.

#include "program.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

Options options = {.connections = 64, .streams = 1, .expected = -1, .seconds = 8};

static void usage(void) {
    fprintf(stderr, "caller PORT PATH --length N [--connections N] [--seconds S] [--rate R] [--count N] [--once] [--close] [--zipf N:SEED] "
                    "[--unique TAG] [--log FILE] [--errors FILE] [--hold S] [--tls [--resume]] [--http2 [--streams N]] [--cpu PID,PID [--mark N]]\n");
    exit(2);
}

void readOptions(int argc, char **argv) {
    if (argc < 3) usage();
    options.port = atoi(argv[1]), options.path = argv[2];
    for (int i = 3; i < argc; i++) {
        const char *name = argv[i];
        if (!strcmp(name, "--close")) options.closing = 1;
        else if (!strcmp(name, "--once")) options.once = 1;
        else if (!strcmp(name, "--tls")) options.tls = 1;
        else if (!strcmp(name, "--resume")) options.resume = 1;
        else if (!strcmp(name, "--http2")) options.tls = options.http2 = 1;
        else {
            char *value = argv[++i];
            if (i == argc) usage();
            if (!strcmp(name, "--length")) options.expected = atol(value);
            else if (!strcmp(name, "--connections")) options.connections = atoi(value);
            else if (!strcmp(name, "--streams")) options.streams = atoi(value);
            else if (!strcmp(name, "--seconds")) options.seconds = atof(value);
            else if (!strcmp(name, "--hold")) options.hold = atof(value);
            else if (!strcmp(name, "--rate")) options.rate = atof(value);
            else if (!strcmp(name, "--count")) options.count = atol(value);
            else if (!strcmp(name, "--unique")) options.unique = value;
            else if (!strcmp(name, "--log")) options.log = value;
            else if (!strcmp(name, "--errors")) options.log = value, options.onlyErrors = 1;
            else if (!strcmp(name, "--mark")) options.mark = atol(value);
            else if (!strcmp(name, "--cpu"))
                for (char *pid = strtok(value, ","); pid && options.pidCount < MOST_PIDS; pid = strtok(NULL, ",")) options.pids[options.pidCount++] = atoi(pid);
            else if (!strcmp(name, "--zipf")) options.zipf = strtol(value, &value, 10), options.seed = *value == ':' ? strtoull(value + 1, 0, 10) : 0;
            else usage();
        }
    }
    if (options.connections < 1 || options.connections > MOST_LINES || options.streams < 1 || options.streams > MOST_STREAMS) usage();
    if (options.http2 ? options.closing : options.streams > 1) usage();
    if (options.once && (options.count || options.rate || options.closing)) usage();
}

long long now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000000000LL + t.tv_nsec;
}

void fail(const char *what) {
    fprintf(stderr, "caller: %s: %s\n", what, strerror(errno));
    exit(1);
}
