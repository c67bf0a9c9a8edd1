// A connection and the requests on it, as plain data.

#ifndef LINE_H
#define LINE_H

#include "program.h"
#include <nghttp2/nghttp2.h>
#include <openssl/ssl.h>

enum { HEAD = 16384, SLICE = 262144 };

typedef enum { CLOSED, CONNECTING, HANDSHAKE, OPEN } State;

typedef struct Line Line;

// A request in flight, or the place for one.
typedef struct {
    Line *line;
    int busy, wrong, status;
    long long due;
    long left; // body bytes to come; -1 while the head is being read, -2 when the end of the connection ends the body
    char by[16];
} Request;

struct Line {
    State state;
    int fd, headLength, ends;
    SSL *tls;
    nghttp2_session *session;
    Request requests[MOST_STREAMS];
    char head[HEAD];
};

#endif
