// One client, many connections: sends requests to a server on loopback and checks the status and length of every response.
//
//   caller PORT PATH --length N [--connections 64] [--seconds 8] [--rate R] [--count N] [--once] [--close] [--zipf N:SEED] [--unique TAG] [--log FILE]
//          [--errors FILE] [--hold S] [--tls [--resume]] [--http2 [--streams N]] [--cpu PID,PID [--mark N]]
//
// Closed loop: every connection sends the next request after each response. With --rate an open loop: request k is due at
// start + k/R, independent of the server, and its latency counts from then, so that all requests that are due in a stall include it.
// --log: a line for each request, in order of its end: microseconds from the start to its due time, its duration in microseconds, its status (0:
// failed), and the server that responded (X-Mirror). --errors: the same, but only for requests that failed, had another status than 200, or the wrong
// length; status -1: a connection that broke without a request on it.
// --zipf: PATH + n, n below N by Zipf's law (exponent 0.99). --unique: PATH + TAG + counter. --count: each path once, in order.
// --once: one request on each connection (HTTP/2: on each stream), 64 at a time, then the end.
// --hold: the connections stay open for this many seconds after the last response. --tls: TLS 1.3; with --close a full handshake for each request, with --resume a resumed one. --http2: over TLS, N requests at a time on each
// connection. --cpu: the server's processes; their CPU time at each whole second, and with --mark when N requests were answered: it goes on until then.
// Prints one line of JSON; exit 1 when there was no response. Each file includes only files below it:
//
//   caller > http1, http2 > requests > counts > channel > line > program

#define _GNU_SOURCE
#include "channel.h"
#include "counts.h"
#include "http1.h"
#include "http2.h"
#include "requests.h"
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <stdio.h>
#include <unistd.h>

// More at the same time would wait for each other's handshakes, longer than a server waits for a first request.
enum { ONCE_AT_A_TIME = 64 };

static int epfd;

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

int main(int argc, char **argv) {
    readOptions(argc, argv);
    prctl(PR_SET_TIMERSLACK, 1);
    epfd = epoll_create1(0);
    channelPrepare();
    requestsPrepare();
    // The number of requests, when that is what ends the run.
    long wanted = options.once ? (long)options.connections * options.streams : options.count;
    long long begun = now(), end = wanted ? begun + 600000000000LL : begun + (long long)(options.seconds * 1e9), at = begun;
    countsBegin(begun);
    double rate = options.rate;
    long sent = 0;
    int aborted = 0;
    struct epoll_event events[256];
    for (;;) {
        while (anyFree() && (!wanted || sent < wanted) && !(options.once && sent - answered - failures >= ONCE_AT_A_TIME)) {
            long long due = rate ? begun + (long long)(sent * (1e9 / rate)) : at;
            if (due > at) break;
            begin(nextRequest(), due);
            sent++;
        }
        long long wake = at < end ? end : at + 1000000000LL;
        if (rate && anyFree()) {
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
        if ((at >= end && (answered >= options.mark || at >= end + 60000000000LL)) || (wanted && answered + failures >= wanted)) break;
        if (failures > 100000 && failures > answered) {
            aborted = 1;
            break;
        }
    }
    // Whoever waits for more than a second when all is over has not been answered; who came last has not been waited for.
    for (int i = 0; options.log && i < options.connections; i++)
        for (int j = 0; j < options.streams; j++)
            if (lines[i].requests[j].busy && at - lines[i].requests[j].due > 1000000000LL) countFailure(&lines[i].requests[j], at);
    long any = countsEnd(at, aborted);
    fflush(stdout);
    if (options.hold > 0) usleep((useconds_t)(options.hold * 1e6));
    return any ? 0 : 1;
}
