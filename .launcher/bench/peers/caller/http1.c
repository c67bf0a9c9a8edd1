// One request at a time on each connection, in HTTP/1.1.

#define _GNU_SOURCE
#include "http1.h"
#include "channel.h"
#include "counts.h"
#include "requests.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char slice[SLICE];

void http1Ask(Request *request) {
    char text[1024];
    int length = snprintf(text, sizeof text, "GET %s HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n%s\r\n", nextPath(), options.port,
        options.closing ? "Connection: close\r\n" : "");
    Line *line = request->line;
    line->headLength = 0, line->ends = 0, request->left = -1, request->wrong = 0;
    if (channelWrite(line, text, length) != 1) request->wrong = 1;
}

// The head is complete: status, length, whether the connection ends after the body.
static void understand(Line *line, Request *request, char *end) {
    *end = 0;
    request->status = 0, request->left = -2, *request->by = 0;
    if (!strncmp(line->head, "HTTP/1.1 ", 9)) understandField(request, ":status", 7, line->head + 9, 3);
    else wrongStatus++;
    for (char *field = strstr(line->head, "\r\n"); field && field[2]; field = strstr(field + 2, "\r\n")) {
        char *colon = strchr(field + 2, ':'), *next = strstr(field + 2, "\r\n");
        if (!colon || (next && colon > next)) continue;
        char *value = colon + 1 + strspn(colon + 1, " ");
        size_t length = next ? (size_t)(next - value) : strlen(value);
        understandField(request, field + 2, colon - field - 2, value, length);
        if (colon - field == 12 && !strncasecmp(field + 2, "connection", 10) && length == 5 && !strncasecmp(value, "close", 5)) line->ends = 1;
    }
}

// Takes in what was read of a head. Returns the bytes of the body that followed, or -1 when the head is not complete.
static long takeHead(Line *line, Request *request, long got) {
    line->headLength += got;
    line->head[line->headLength] = 0;
    char *end = strstr(line->head, "\r\n\r\n");
    if (!end) return -1;
    long extra = line->headLength - (end + 4 - line->head);
    understand(line, request, end);
    return extra;
}

void http1Hear(Line *line) {
    Request *request = line->requests;
    for (;;) {
        char *to = request->left == -1 ? line->head + line->headLength : slice;
        long room = request->left == -1 ? HEAD - 1 - line->headLength : SLICE;
        long got = room > 0 ? channelRead(line, to, room) : BROKEN;
        if (got == AGAIN) return;
        if (!request->busy && got >= 0) { // the server closed an idle connection
            hangUp(line);
            return;
        }
        if (got <= 0) {
            if (got == 0 && request->left == -2) done(request);
            else broke(line);
            return;
        }
        long taken = got;
        bytes += got;
        if (request->left == -1 && (taken = takeHead(line, request, got)) < 0) continue;
        if (request->left >= 0 && (request->left -= taken) <= 0) {
            if (request->left < 0) request->wrong = 1;
            done(request);
            return;
        }
        if (got < room && !line->tls) return; // level-triggered: what is left wakes us again
    }
}
