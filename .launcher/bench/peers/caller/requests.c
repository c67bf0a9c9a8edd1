// The requests of all connections, from the choice of a path to the end, and the end of a connection.

#define _GNU_SOURCE
#include "requests.h"
#include "channel.h"
#include "counts.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

Line *lines;
static Request *freeRequests[MOST_LINES * MOST_STREAMS];
static int freeCount;
static long counter;
static unsigned long long dice = 88172645463325252ULL;
static double *cumulative;

void requestsPrepare(void) {
    dice ^= options.seed * 2654435761ULL;
    if (options.zipf) {
        cumulative = malloc(options.zipf * sizeof *cumulative);
        double sum = 0;
        for (long i = 0; i < options.zipf; i++) cumulative[i] = sum += 1 / pow(i + 1, 0.99);
    }
    lines = calloc(options.connections, sizeof *lines);
    for (int i = options.connections - 1; i >= 0; i--) {
        lines[i].fd = -1;
        for (int j = 0; j < options.streams; j++) {
            lines[i].requests[j].line = &lines[i];
            freeRequests[freeCount++] = &lines[i].requests[j];
        }
    }
}

Request *nextRequest(void) { return freeCount ? freeRequests[--freeCount] : NULL; }

int anyFree(void) { return freeCount > 0; }

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

void hangUp(Line *line) {
    if (line->session) nghttp2_session_del(line->session);
    line->session = NULL;
    channelClose(line);
}

static void rest(Request *request) {
    request->busy = 0;
    if (!options.once) freeRequests[freeCount++] = request;
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
