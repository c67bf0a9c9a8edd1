// One client, many connections: sends requests to a server on loopback and checks the status and length of every response.
//
//   caller PORT PATH --length N [--connections 64] [--seconds 8] [--rate R] [--count N] [--close] [--zipf N:SEED] [--unique TAG] [--log FILE]
//
// Closed loop: every connection sends the next request after each response. With --rate an open loop: request k is due at
// start + k/R, independent of the server, and its latency counts from then, so that all requests that are due in a stall include it.
// --log: a line for each request, in order of its end: microseconds from the start to its due time, its duration in microseconds, its status (0:
// failed), and the server that responded (X-Mirror).
// --zipf: PATH + n, n below N by Zipf's law (exponent 0.99). --unique: PATH + TAG + counter. --count: each path once, in order.
// Prints one line of JSON; exit 1 when there was no response.

#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <math.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { HEAD = 16384, SLICE = 262144, BUCKETS = 64 * 64, MOST = 4096 };

typedef struct {
    int fd, busy, connecting, headLength;
    long left; // body bytes to come; -1 while the head is being read
    int wrong, ends;
    long long due;
    int status;
    char by[16];
    char head[HEAD];
} Line;

static Line lines[MOST];
static int freeLines[MOST], freeCount, epfd, port, closing, connections = 64;
static const char *path, *unique;
static long expected = -1, zipf, counter, count, answered, failures, wrongStatus, wrongLength, bytes;
static double rate, seconds = 8;
static unsigned long long dice = 88172645463325252ULL;
static double *cumulative;
static long histogram[BUCKETS], perSecond[1 << 16];
static long long begun, highest;
static char slice[SLICE];
static FILE *journal;

static long long now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static double chance(void) {
    dice ^= dice << 13, dice ^= dice >> 7, dice ^= dice << 17;
    return (dice >> 11) / 9007199254740992.0;
}

// 64 steps for each doubling: the precision of a value is 1.6 %.
static int bucket(long long v) {
    if (v < 64) return v < 0 ? 0 : (int)v;
    int log = 63 - __builtin_clzll(v);
    int at = (log - 5) * 64 + (int)((v >> (log - 6)) & 63);
    return at < BUCKETS ? at : BUCKETS - 1;
}

static double unbucket(int at) {
    if (at < 64) return at;
    int log = at / 64 + 5;
    return ((double)(64 + at % 64) + 0.5) * pow(2, log - 6);
}

static double quantile(double share) {
    long sum = 0, wanted = (long)ceil(share * answered);
    for (int i = 0; i < BUCKETS; i++)
        if ((sum += histogram[i]) >= wanted && sum) return unbucket(i) / 1000;
    return 0;
}

static long pick(void) {
    double at = chance() * cumulative[zipf - 1];
    long low = 0, high = zipf - 1;
    while (low < high) {
        long middle = (low + high) / 2;
        if (cumulative[middle] < at) low = middle + 1;
        else high = middle;
    }
    // Popular ones lie anywhere, as in life: a fixed stride that is prime to any round number.
    return (long)((low * 7919ULL) % zipf);
}

static void fail(const char *what) {
    fprintf(stderr, "caller: %s: %s\n", what, strerror(errno));
    exit(1);
}

static void watch(Line *line, int op, unsigned events) {
    struct epoll_event e = {.events = events, .data.ptr = line};
    if (epoll_ctl(epfd, op, line->fd, &e)) fail("epoll_ctl");
}

static void dial(Line *line) {
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int one = 1;
    line->fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
    if (line->fd < 0) fail("socket");
    setsockopt(line->fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    line->connecting = connect(line->fd, (struct sockaddr *)&to, sizeof to) != 0;
    if (line->connecting && errno != EINPROGRESS) fail("connect");
    watch(line, EPOLL_CTL_ADD, line->connecting ? EPOLLOUT : EPOLLIN);
}

static void ask(Line *line) {
    char text[1024];
    char name[512];
    if (zipf) snprintf(name, sizeof name, "%s%ld", path, pick());
    else if (count) snprintf(name, sizeof name, "%s%ld", path, counter++);
    else if (unique) snprintf(name, sizeof name, "%s%s-%ld", path, unique, counter++);
    else snprintf(name, sizeof name, "%s", path);
    int length = snprintf(text, sizeof text, "GET %s HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n%s\r\n", name, port,
        closing ? "Connection: close\r\n" : "");
    line->headLength = 0, line->left = -1, line->wrong = 0, line->ends = 0;
    if (send(line->fd, text, length, MSG_NOSIGNAL) != length) line->wrong = 1;
}

static void begin(Line *line, long long due) {
    line->busy = 1, line->due = due;
    if (line->fd < 0) dial(line);
    if (!line->connecting) ask(line);
}

static void hangUp(Line *line) {
    close(line->fd);
    line->fd = -1, line->connecting = 0;
}

static void rest(Line *line) {
    line->busy = 0;
    freeLines[freeCount++] = (int)(line - lines);
}

static void note(Line *line, long long at, int status) {
    if (journal) fprintf(journal, "%lld %lld %d %s\n", (line->due - begun) / 1000, (at - line->due) / 1000, status, status && *line->by ? line->by : "-");
}

static void done(Line *line) {
    long long at = now(), took = at - line->due;
    note(line, at, line->status);
    if (line->wrong) wrongLength++;
    answered++;
    histogram[bucket(took)]++;
    if (took > highest) highest = took;
    long second = (at - begun) / 1000000000LL;
    if (second >= 0 && second < 1 << 16) perSecond[second]++;
    if (closing || line->ends) hangUp(line);
    rest(line);
}

static void broke(Line *line) {
    failures++;
    if (line->busy) note(line, now(), 0);
    hangUp(line);
    if (line->busy) rest(line);
}

// The head is complete: status, length, whether the connection ends after the body.
static void understand(Line *line, char *end) {
    *end = 0;
    if (strncmp(line->head, "HTTP/1.1 200", 12)) wrongStatus++;
    line->status = line->headLength > 12 ? atoi(line->head + 9) : 0;
    *line->by = 0;
    char *by = journal ? strcasestr(line->head, "\r\nx-mirror: ") : NULL;
    if (by) sscanf(by + 12, "%15[^\r]", line->by);
    char *length = strcasestr(line->head, "\r\ncontent-length:");
    line->left = length ? atol(length + 17) : -2;
    if (expected >= 0 && line->left != expected) line->wrong = 1;
    line->ends = strcasestr(line->head, "\r\nconnection: close") != NULL;
}

static void hear(Line *line) {
    for (;;) {
        char *to = line->left == -1 ? line->head + line->headLength : slice;
        long room = line->left == -1 ? HEAD - 1 - line->headLength : SLICE;
        long got = recv(line->fd, to, room, 0);
        if (got < 0) {
            if (errno != EAGAIN) broke(line);
            return;
        }
        if (!line->busy) { // an idle connection was closed by the server
            hangUp(line);
            return;
        }
        if (got == 0) {
            if (line->left == -2) done(line);
            else broke(line);
            return;
        }
        bytes += got;
        if (line->left == -1) {
            line->headLength += got;
            line->head[line->headLength] = 0;
            char *end = strstr(line->head, "\r\n\r\n");
            if (!end) {
                if (line->headLength >= HEAD - 1) {
                    broke(line);
                    return;
                }
                continue;
            }
            long extra = line->headLength - (end + 4 - line->head);
            understand(line, end);
            got = extra;
        }
        if (line->left >= 0) {
            line->left -= got;
            if (line->left <= 0) {
                if (line->left < 0) line->wrong = 1;
                done(line);
                return;
            }
        }
        if (got < room) return; // level-triggered: what is left wakes us again
    }
}

static void arguments(int argc, char **argv) {
    if (argc < 3) {
        fprintf(stderr, "caller PORT PATH --length N [--connections N] [--seconds S] [--rate R] [--count N] [--close] "
                        "[--zipf N:SEED] [--unique TAG] [--log FILE]\n");
        exit(2);
    }
    port = atoi(argv[1]), path = argv[2];
    for (int i = 3; i < argc; i++) {
        if (!strcmp(argv[i], "--close")) {
            closing = 1;
            continue;
        }
        if (i + 1 == argc) exit(2);
        char *value = argv[i + 1];
        if (!strcmp(argv[i], "--length")) expected = atol(value);
        else if (!strcmp(argv[i], "--connections")) connections = atoi(value);
        else if (!strcmp(argv[i], "--seconds")) seconds = atof(value);
        else if (!strcmp(argv[i], "--rate")) rate = atof(value);
        else if (!strcmp(argv[i], "--count")) count = atol(value);
        else if (!strcmp(argv[i], "--unique")) unique = value;
        else if (!strcmp(argv[i], "--log")) {
            if (!(journal = fopen(value, "w"))) fail("--log");
        }
        else if (!strcmp(argv[i], "--zipf")) zipf = strtol(value, &value, 10), dice ^= *value == ':' ? strtoull(value + 1, 0, 10) * 2654435761ULL : 0;
        else exit(2);
        i++;
    }
    if (connections < 1 || connections > MOST) exit(2);
    if (zipf) {
        cumulative = malloc(zipf * sizeof *cumulative);
        double sum = 0;
        for (long i = 0; i < zipf; i++) cumulative[i] = sum += 1 / pow(i + 1, 0.99);
    }
}

int main(int argc, char **argv) {
    arguments(argc, argv);
    prctl(PR_SET_TIMERSLACK, 1);
    epfd = epoll_create1(0);
    for (int i = 0; i < connections; i++) {
        lines[i].fd = -1;
        freeLines[freeCount++] = connections - 1 - i;
    }
    begun = now();
    long long end = count ? begun + 600000000000LL : begun + (long long)(seconds * 1e9), at = begun;
    long sent = 0, aborted = 0;
    struct epoll_event events[256];
    for (;;) {
        while (freeCount && (!count || sent < count)) {
            long long due = rate ? begun + (long long)(sent * (1e9 / rate)) : at;
            if (due > at) break;
            begin(&lines[freeLines[--freeCount]], due);
            sent++;
        }
        long long wake = end;
        if (rate && freeCount) {
            long long next = begun + (long long)(sent * (1e9 / rate));
            if (next < wake) wake = next;
        }
        long long pause = wake - now();
        struct timespec timeout = {pause > 0 ? pause / 1000000000LL : 0, pause > 0 ? pause % 1000000000LL : 0};
        int ready = epoll_pwait2(epfd, events, 256, &timeout, NULL);
        for (int i = 0; i < ready; i++) {
            Line *line = events[i].data.ptr;
            if (line->fd < 0) continue;
            if (line->connecting) {
                int error = 0;
                socklen_t size = sizeof error;
                getsockopt(line->fd, SOL_SOCKET, SO_ERROR, &error, &size);
                line->connecting = 0;
                if (error) {
                    broke(line);
                    continue;
                }
                watch(line, EPOLL_CTL_MOD, EPOLLIN);
                ask(line);
            } else {
                hear(line);
            }
        }
        at = now();
        if (at >= end || (count && answered + failures >= count)) break;
        if (failures > 100000 && failures > answered) {
            aborted = 1;
            break;
        }
    }
    // Whoever waits for more than a second when all is over has not been answered; who came last has not been waited for.
    for (int i = 0; journal && i < connections; i++)
        if (lines[i].busy && at - lines[i].due > 1000000000LL) note(&lines[i], at, 0), failures++;
    double took = (at - begun) / 1e9;
    printf("{\"answered\":%ld,\"seconds\":%.3f,\"failures\":%ld,\"wrongStatus\":%ld,\"wrongLength\":%ld,\"bytes\":%ld,\"aborted\":%ld,"
           "\"p50\":%.1f,\"p99\":%.1f,\"p999\":%.1f,\"max\":%.1f,\"perSecond\":[",
        answered, took, failures, wrongStatus, wrongLength, bytes, aborted, quantile(.5), quantile(.99), quantile(.999), highest / 1000.0);
    for (long i = 0; i < (long)took; i++) printf("%s%ld", i ? "," : "", perSecond[i]);
    printf("]}\n");
    return answered ? 0 : 1;
}
