// What the parts of the client share: its options, its connections and the requests on them.

#ifndef CALLER_H
#define CALLER_H

#include <nghttp2/nghttp2.h>
#include <openssl/ssl.h>

enum { HEAD = 16384, SLICE = 262144, MOST_LINES = 4096, MOST_STREAMS = 64, MOST_PIDS = 64 };

typedef struct {
    int port, connections, streams, closing, tls, resume, http2, onlyErrors, pidCount;
    int pids[MOST_PIDS];
    const char *path, *unique;
    long expected, zipf, count, mark;
    unsigned long long seed;
    double rate, seconds, hold;
} Options;

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

extern Options options;

// caller.c
long long now(void);
void fail(const char *what);
void done(Request *request);
void broke(Line *line);
void hangUp(Line *line);
const char *nextPath(void);
void understandField(Request *request, const char *name, size_t nameLength, const char *value, size_t valueLength);

// channel.c: bytes over TCP or TLS
enum { AGAIN = -1, BROKEN = -2 };
void channelPrepare(void);
void channelOpen(Line *line);
int channelHandshake(Line *line); // 1 when it is complete, otherwise AGAIN or BROKEN
long channelRead(Line *line, void *to, long room); // the number of bytes, 0 at the end, AGAIN or BROKEN
int channelWrite(Line *line, const void *from, long length); // 1, or BROKEN: requests are shorter than any socket buffer
void channelClose(Line *line);
extern long handshakes, resumed;

// http1.c, http2.c
void http1Ask(Request *request);
void http1Hear(Line *line);
void http2Open(Line *line);
void http2Ask(Request *request);
void http2Hear(Line *line);
void http2Close(Line *line);

// counts.c
void countAnswer(Request *request, long long at);
void countFailure(Request *request, long long at);
void countsBegin(long long at, const char *journal);
void countsSample(long long at);
long countsEnd(long long at, int aborted); // prints them; returns the number of answers
extern long answered, failures, wrongStatus, wrongLength, bytes;

#endif
