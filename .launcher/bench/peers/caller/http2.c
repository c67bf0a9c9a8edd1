// Several requests at a time on each connection, in HTTP/2 by nghttp2.

#include "http2.h"
#include "channel.h"
#include "counts.h"
#include "requests.h"
#include <stdio.h>
#include <string.h>

static unsigned char slice[SLICE];
static nghttp2_session_callbacks *callbacks;

static ssize_t sendBytes(nghttp2_session *session, const uint8_t *data, size_t length, int flags, void *line) {
    (void)session, (void)flags;
    return channelWrite(line, data, (long)length) == 1 ? (ssize_t)length : NGHTTP2_ERR_CALLBACK_FAILURE;
}

static int header(nghttp2_session *session, const nghttp2_frame *frame, const uint8_t *name, size_t nameLength, const uint8_t *value,
    size_t valueLength, uint8_t flags, void *line) {
    (void)flags, (void)line;
    Request *request = nghttp2_session_get_stream_user_data(session, frame->hd.stream_id);
    if (request) understandField(request, (const char *)name, nameLength, (const char *)value, valueLength);
    return 0;
}

static int data(nghttp2_session *session, uint8_t flags, int32_t stream, const uint8_t *from, size_t length, void *line) {
    (void)flags, (void)from, (void)line;
    Request *request = nghttp2_session_get_stream_user_data(session, stream);
    if (request && request->left >= 0) request->left -= (long)length;
    return 0;
}

static int streamEnds(nghttp2_session *session, int32_t stream, uint32_t error, void *line) {
    (void)line;
    Request *request = nghttp2_session_get_stream_user_data(session, stream);
    if (!request) return 0;
    if (request->left > 0 || error) request->wrong = 1;
    done(request);
    return 0;
}

void http2Open(Line *line) {
    if (!callbacks) {
        nghttp2_session_callbacks_new(&callbacks);
        nghttp2_session_callbacks_set_send_callback(callbacks, sendBytes);
        nghttp2_session_callbacks_set_on_header_callback(callbacks, header);
        nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks, data);
        nghttp2_session_callbacks_set_on_stream_close_callback(callbacks, streamEnds);
    }
    if (nghttp2_session_client_new(&line->session, callbacks, line)) fail("HTTP/2");
    // Windows like a browser's: no body waits for an update.
    nghttp2_settings_entry entries[] = {{NGHTTP2_SETTINGS_ENABLE_PUSH, 0}, {NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, 6291456}};
    nghttp2_submit_settings(line->session, NGHTTP2_FLAG_NONE, entries, 2);
    nghttp2_session_set_local_window_size(line->session, NGHTTP2_FLAG_NONE, 0, 15728640);
}

#define FIELD(name, value) {(uint8_t *)(name), (uint8_t *)(value), sizeof(name) - 1, strlen(value), NGHTTP2_NV_FLAG_NONE}

void http2Ask(Request *request) {
    char authority[32];
    const char *path = nextPath();
    snprintf(authority, sizeof authority, "127.0.0.1:%d", options.port);
    nghttp2_nv fields[] = {FIELD(":method", "GET"), FIELD(":scheme", "https"), FIELD(":authority", authority), FIELD(":path", path)};
    request->left = -2, request->wrong = 0, request->status = 0, *request->by = 0;
    if (nghttp2_submit_request(request->line->session, NULL, fields, 4, NULL, request) < 0 || nghttp2_session_send(request->line->session)) broke(request->line);
}

static int idle(const Line *line) {
    for (int i = 0; i < options.streams; i++)
        if (line->requests[i].busy) return 0;
    return 1;
}

void http2Hear(Line *line) {
    for (;;) {
        long got = channelRead(line, slice, SLICE);
        if (got == AGAIN) break;
        if (got <= 0) {
            if (got == 0 && idle(line)) hangUp(line); // the server closed an idle connection
            else broke(line);
            return;
        }
        bytes += got;
        if (nghttp2_session_mem_recv(line->session, slice, got) < 0 || nghttp2_session_send(line->session)) {
            broke(line);
            return;
        }
        // After GOAWAY the next request needs another connection.
        if (!nghttp2_session_check_request_allowed(line->session) && idle(line)) {
            hangUp(line);
            return;
        }
    }
}
