// Bytes over TCP, or over TLS 1.3 with one suite and one group, so that every server does the same cryptography.

#include "channel.h"
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <openssl/err.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

long handshakes, resumed;
static SSL_CTX *context;
static SSL_SESSION *ticket; // the newest one; connections resume it with --resume

static int keep(SSL *tls, SSL_SESSION *session) {
    (void)tls;
    if (ticket) SSL_SESSION_free(ticket);
    ticket = session;
    return 1;
}

void channelPrepare(void) {
    if (!options.tls) return;
    // OpenSSL writes with write(2): without this, the first connection that its server has closed ends the whole program without a word.
    signal(SIGPIPE, SIG_IGN);
    context = SSL_CTX_new(TLS_client_method());
    // The server's certificate is one of the benchmark's own: its check would cost the client time and the server none.
    SSL_CTX_set_verify(context, SSL_VERIFY_NONE, NULL);
    if (!SSL_CTX_set_min_proto_version(context, TLS1_3_VERSION) || !SSL_CTX_set_ciphersuites(context, "TLS_AES_128_GCM_SHA256")
        || !SSL_CTX_set1_groups_list(context, "X25519")) fail("TLS");
    SSL_CTX_set_mode(context, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
    const unsigned char *names = (const unsigned char *)(options.http2 ? "\x02h2" : "\x08http/1.1");
    SSL_CTX_set_alpn_protos(context, names, names[0] + 1);
    if (options.resume) {
        SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_CLIENT | SSL_SESS_CACHE_NO_INTERNAL);
        SSL_CTX_sess_set_new_cb(context, keep);
    }
}

void channelOpen(Line *line) {
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(options.port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int one = 1;
    line->fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
    if (line->fd < 0) fail("socket");
    setsockopt(line->fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    if (connect(line->fd, (struct sockaddr *)&to, sizeof to) && errno != EINPROGRESS) fail("connect");
    line->state = CONNECTING;
}

int channelHandshake(Line *line) {
    if (!context) return 1;
    if (!line->tls) {
        line->tls = SSL_new(context);
        SSL_set_fd(line->tls, line->fd);
        SSL_set_tlsext_host_name(line->tls, "bench.example");
        if (options.resume && ticket) SSL_set_session(line->tls, ticket);
    }
    int result = SSL_connect(line->tls);
    if (result == 1) {
        handshakes++;
        resumed += SSL_session_reused(line->tls);
        return 1;
    }
    int error = SSL_get_error(line->tls, result);
    ERR_clear_error();
    return error == SSL_ERROR_WANT_READ || error == SSL_ERROR_WANT_WRITE ? AGAIN : BROKEN;
}

long channelRead(Line *line, void *to, long room) {
    if (!line->tls) {
        long got = recv(line->fd, to, room, 0);
        return got >= 0 ? got : errno == EAGAIN ? AGAIN : BROKEN;
    }
    int got = SSL_read(line->tls, to, (int)room);
    if (got > 0) return got;
    int error = SSL_get_error(line->tls, got);
    ERR_clear_error();
    if (error == SSL_ERROR_WANT_READ || error == SSL_ERROR_WANT_WRITE) return AGAIN;
    return error == SSL_ERROR_ZERO_RETURN ? 0 : BROKEN;
}

int channelWrite(Line *line, const void *from, long length) {
    long sent = line->tls ? SSL_write(line->tls, from, (int)length) : send(line->fd, from, length, MSG_NOSIGNAL);
    ERR_clear_error();
    return sent == length ? 1 : BROKEN;
}

void channelClose(Line *line) {
    if (line->tls) {
        // Without this, OpenSSL takes the end for an error and forgets the session.
        SSL_set_shutdown(line->tls, SSL_SENT_SHUTDOWN | SSL_RECEIVED_SHUTDOWN);
        SSL_free(line->tls);
        line->tls = NULL;
    }
    close(line->fd);
    line->fd = -1, line->state = CLOSED;
}
