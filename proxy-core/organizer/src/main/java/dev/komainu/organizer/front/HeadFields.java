package dev.komainu.organizer.front;

import dev.komainu.intermediary.caching.Freshness;
import dev.komainu.intermediary.caching.ProxyClock;
import dev.komainu.intermediary.message.Fields;
import dev.komainu.intermediary.message.RequestHead;
import dev.komainu.intermediary.message.ResponseHead;
import dev.komainu.organizer.line.LineBuffers;
import dev.komainu.organizer.page.ShareabilityRule;
import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.http2.Http2Headers;
import org.jspecify.annotations.Nullable;

/**
 * Heads of the line as the proxy's rules read them, so that what is fresh, stored and not modified
 * is decided by one code. What is given out is good until the next call. One for each loop.
 */
final class HeadFields {

    private final ProxyClock clock;
    private final RequestHead request = new RequestHead();
    private final ResponseHead response = new ResponseHead();

    HeadFields(ProxyClock clock) {
        this.clock = clock;
    }

    /** Absent: it cannot be written in HTTP/1.1. */
    @Nullable
    Fields ofRequest(Http2Headers head) {
        if (!HeadConversion.isRequestLine(head)) {
            return null;
        }
        ByteBuf text = LineBuffers.ALLOCATOR.heapBuffer(1024);
        try {
            HeadConversion.request(text, head, "");
            text.writeShort(HeadConversion.CRLF);
            request.setReceivedOver(false, false);
            return request.read(text) == RequestHead.Outcome.COMPLETE ? request.fields() : null;
        } finally {
            text.release();
        }
    }

    /** Likewise. */
    @Nullable
    ResponseHead ofAnswer(Http2Headers head) {
        ByteBuf text = LineBuffers.ALLOCATOR.heapBuffer(1024);
        try {
            HeadConversion.answer(text, head, 1);
            text.writeShort(HeadConversion.CRLF);
            return response.read(text) == RequestHead.Outcome.COMPLETE ? response : null;
        } finally {
            text.release();
        }
    }

    /** @return absent: it is not for everybody, or not fresh */
    @Nullable
    Freshness freshness(Http2Headers head, long requestedWallMillis) {
        ResponseHead read = ofAnswer(head);
        return read == null ? null : ShareabilityRule.freshness(read, requestedWallMillis, clock);
    }
}
