// One client, many connections: sends requests to a server on loopback and checks the status and length of every response.
//
//   caller PORT PATH --length N [--connections 64] [--seconds 8] [--rate R] [--count N] [--close] [--zipf N:SEED] [--unique TAG] [--log FILE]
//          [--errors FILE] [--hold S] [--tls [--resume]] [--http2 [--streams N]] [--cpu PID,PID [--mark N]]
//
// Closed loop: every connection sends the next request after each response. With --rate an open loop: request k is due at
// start + k/R, independent of the server, and its latency counts from then, so that all requests that are due in a stall include it.
// --log: a line for each request, in order of its end: microseconds from the start to its due time, its duration in microseconds, its status (0:
// failed), and the server that responded (X-Mirror). --errors: the same, but only for requests that failed, had another status than 200, or the wrong
// length; status -1: a connection that broke without a request on it.
// --zipf: PATH + n, n below N by Zipf's law (exponent 0.99). --unique: PATH + TAG + counter. --count: each path once, in order.
// --hold: the connections stay open for this many seconds after the last response. --tls: TLS 1.3; with --close a full handshake for each request, with --resume a resumed one. --http2: over TLS, N requests at a time on each
// connection. --cpu: the server's processes; their CPU time at each whole second, and with --mark when N requests were answered: it goes on until then.
// Prints one line of JSON; exit 1 when there was no response.

#define _GNU_SOURCE
#include "caller.h"
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

Options options = {.connections = 64, .streams = 1, .expected = -1, .seconds = 8};
static Line *lines;
static Request *freeRequests[MOST_LINES * MOST_STREAMS];
static int freeCount, epfd;
static long counter;
static unsigned long long dice = 88172645463325252ULL;
static double *cumulative;

long long now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000000000LL + t.tv_nsec;
}

void fail(const char *what) {
    fprintf(stderr, "caller: %s: %s\n", what, strerror(errno));
    exit(1);
}

static double chance(void) {
    dice ^= dice << 13, dice ^= dice >> 7, dice ^= dice << 17;
    return (dice >> 11) / 9007199254740992.0;
}

static long pick(void) {
    double at = chance() * cumulative[options.zipf - 1];
    long low = 0, high = options.zipf - 1;
    while (low < high) {
        long middle = (low + high) / 2;
        if (cumulative[middle] < at) low = middle + 1;
        else high = middle;
    }
    // Popular ones lie anywhere, as in life: a fixed stride that is prime to any round number.
    return (long)((low * 7919ULL) % options.zipf);
}

const char *nextPath(void) {
    static char name[512];
    if (options.zipf) snprintf(name, sizeof name, "%s%ld", options.path, pick());
    else if (options.count) snprintf(name, sizeof name, "%s%ld", options.path, counter++);
    else if (options.unique) snprintf(name, sizeof name, "%s%s-%ld", options.path, options.unique, counter++);
    else return options.path;
    return name;
}

static int named(const char *name, size_t length, const char *wanted) { return length == strlen(wanted) && !strncasecmp(name, wanted, length); }

void understandField(Request *request, const char *name, size_t nameLength, const char *value, size_t valueLength) {
    if (named(name, nameLength, ":status")) {
        request->status = atoi(value);
        if (request->status != 200) wrongStatus++;
    } else if (named(name, nameLength, "content-length")) {
        request->left = atol(value);
        if (options.expected >= 0 && request->left != options.expected) request->wrong = 1;
    } else if (named(name, nameLength, "x-mirror")) {
        snprintf(request->by, sizeof request->by, "%.*s", (int)valueLength, value);
    }
}

static void watch(Line *line, int op, unsigned events) {
    struct epoll_event e = {.events = events, .data.ptr = line};
    if (epoll_ctl(epfd, op, line->fd, &e)) fail("epoll_ctl");
}

static void ask(Request *request) { (options.http2 ? http2Ask : http1Ask)(request); }

static void begin(Request *request, long long due) {
    Line *line = request->line;
    request->busy = 1, request->due = due;
    if (line->state == OPEN) ask(request);
    else if (line->state == CLOSED) {
        channelOpen(line);
        watch(line, EPOLL_CTL_ADD, EPOLLOUT);
    }
}

void hangUp(Line *line) {
    http2Close(line);
    channelClose(line);
}

static void rest(Request *request) {
    request->busy = 0;
    freeRequests[freeCount++] = request;
}

void done(Request *request) {
    countAnswer(request, now());
    if (!options.http2 && (options.closing || request->line->ends || request->left == -2)) hangUp(request->line);
    rest(request);
}

void broke(Line *line) {
    int any = 0;
    long long at = now();
    hangUp(line);
    for (int i = 0; i < options.streams; i++)
        if (line->requests[i].busy) {
            any = 1;
            countFailure(&line->requests[i], at);
            rest(&line->requests[i]);
        }
    if (!any) countFailure(NULL, at);
}

// The connection is there, or a step nearer to it.
static void proceed(Line *line) {
    if (line->state == CONNECTING) {
        int error = 0;
        socklen_t size = sizeof error;
        getsockopt(line->fd, SOL_SOCKET, SO_ERROR, &error, &size);
        if (error) {
            broke(line);
            return;
        }
        watch(line, EPOLL_CTL_MOD, EPOLLIN);
        line->state = HANDSHAKE;
    }
    int made = channelHandshake(line);
    if (made == BROKEN) broke(line);
    if (made != 1) return;
    line->state = OPEN;
    if (options.http2) http2Open(line);
    for (int i = 0; i < options.streams; i++)
        if (line->requests[i].busy && line->state == OPEN) ask(&line->requests[i]);
}

static void usage(void) {
    fprintf(stderr, "caller PORT PATH --length N [--connections N] [--seconds S] [--rate R] [--count N] [--close] [--zipf N:SEED] [--unique TAG] "
                    "[--log FILE] [--errors FILE] [--hold S] [--tls [--resume]] [--http2 [--streams N]] [--cpu PID,PID [--mark N]]\n");
    exit(2);
}

static const char *arguments(int argc, char **argv) {
    const char *log = NULL;
    if (argc < 3) usage();
    options.port = atoi(argv[1]), options.path = argv[2];
    for (int i = 3; i < argc; i++) {
        const char *name = argv[i];
        if (!strcmp(name, "--close")) options.closing = 1;
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
            else if (!strcmp(name, "--log")) log = value;
            else if (!strcmp(name, "--errors")) log = value, options.onlyErrors = 1;
            else if (!strcmp(name, "--mark")) options.mark = atol(value);
            else if (!strcmp(name, "--cpu"))
                for (char *pid = strtok(value, ","); pid && options.pidCount < MOST_PIDS; pid = strtok(NULL, ",")) options.pids[options.pidCount++] = atoi(pid);
            else if (!strcmp(name, "--zipf")) options.zipf = strtol(value, &value, 10), options.seed = *value == ':' ? strtoull(value + 1, 0, 10) : 0;
            else usage();
        }
    }
    if (options.connections < 1 || options.connections > MOST_LINES || options.streams < 1 || options.streams > MOST_STREAMS) usage();
    if (options.http2 ? options.closing : options.streams > 1) usage();
    return log;
}

static void prepare(void) {
    prctl(PR_SET_TIMERSLACK, 1);
    dice ^= options.seed * 2654435761ULL;
    if (options.zipf) {
        cumulative = malloc(options.zipf * sizeof *cumulative);
        double sum = 0;
        for (long i = 0; i < options.zipf; i++) cumulative[i] = sum += 1 / pow(i + 1, 0.99);
    }
    epfd = epoll_create1(0);
    channelPrepare();
    lines = calloc(options.connections, sizeof *lines);
    for (int i = options.connections - 1; i >= 0; i--) {
        lines[i].fd = -1;
        for (int j = 0; j < options.streams; j++) {
            lines[i].requests[j].line = &lines[i];
            freeRequests[freeCount++] = &lines[i].requests[j];
        }
    }
}

int main(int argc, char **argv) {
    const char *log = arguments(argc, argv);
    prepare();
    long long begun = now(), end = options.count ? begun + 600000000000LL : begun + (long long)(options.seconds * 1e9), at = begun;
    countsBegin(begun, log);
    double rate = options.rate;
    long sent = 0;
    int aborted = 0;
    struct epoll_event events[256];
    for (;;) {
        while (freeCount && (!options.count || sent < options.count)) {
            long long due = rate ? begun + (long long)(sent * (1e9 / rate)) : at;
            if (due > at) break;
            begin(freeRequests[--freeCount], due);
            sent++;
        }
        long long wake = at < end ? end : at + 1000000000LL;
        if (rate && freeCount) {
            long long next = begun + (long long)(sent * (1e9 / rate));
            if (next < wake) wake = next;
        }
        long long pause = wake - now();
        struct timespec timeout = {pause > 0 ? pause / 1000000000LL : 0, pause > 0 ? pause % 1000000000LL : 0};
        int ready = epoll_pwait2(epfd, events, 256, &timeout, NULL);
        for (int i = 0; i < ready; i++) {
            Line *line = events[i].data.ptr;
            if (line->state == CLOSED) continue;
            if (line->state == OPEN) (options.http2 ? http2Hear : http1Hear)(line);
            else proceed(line);
        }
        at = now();
        countsSample(at);
        if ((at >= end && (answered >= options.mark || at >= end + 60000000000LL)) || (options.count && answered + failures >= options.count)) break;
        if (failures > 100000 && failures > answered) {
            aborted = 1;
            break;
        }
    }
    // Whoever waits for more than a second when all is over has not been answered; who came last has not been waited for.
    for (int i = 0; log && i < options.connections; i++)
        for (int j = 0; j < options.streams; j++)
            if (lines[i].requests[j].busy && at - lines[i].requests[j].due > 1000000000LL) countFailure(&lines[i].requests[j], at);
    long any = countsEnd(at, aborted);
    fflush(stdout);
    if (options.hold > 0) usleep((useconds_t)(options.hold * 1e6));
    return any ? 0 : 1;
}
