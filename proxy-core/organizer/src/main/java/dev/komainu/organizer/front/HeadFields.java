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
 * Converts line heads to the form that the caching rules of the proxy read, so that freshness,
 * storability and validation have one implementation. A returned object is valid until the next
 * call. One for each loop.
 */
final class HeadFields {

    private final ProxyClock clock;
    private final RequestHead request = new RequestHead();
    private final ResponseHead response = new ResponseHead();

    HeadFields(ProxyClock clock) {
        this.clock = clock;
    }

    /** Parses a request head; null: it cannot be written in HTTP/1.1. */
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

    /** Parses a response head; null: it cannot be written in HTTP/1.1. */
    @Nullable
    ResponseHead ofResponse(Http2Headers head) {
        ByteBuf text = LineBuffers.ALLOCATOR.heapBuffer(1024);
        try {
            HeadConversion.response(text, head, 1);
            text.writeShort(HeadConversion.CRLF);
            return response.read(text) == RequestHead.Outcome.COMPLETE ? response : null;
        } finally {
            text.release();
        }
    }

    /** Returns the freshness of a response; null: it is not shareable or not fresh. */
    @Nullable
    Freshness freshness(Http2Headers head, long requestedWallMillis) {
        ResponseHead read = ofResponse(head);
        return read == null ? null : ShareabilityRule.freshness(read, requestedWallMillis, clock);
    }
}
