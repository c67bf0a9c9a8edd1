package dev.komainu.organizer.service;

import dev.komainu.organizer.line.StreamEnd;
import dev.komainu.organizer.line.StreamListener;
import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.http2.Http2Headers;

/**
 * A stream listener that passes every event to another one. Subclasses override the events that
 * they need.
 */
class ForwardingListener implements StreamListener {

    private StreamListener target;

    ForwardingListener(StreamListener target) {
        this.target = target;
    }

    /** Sets the listener that receives the following events. */
    final void setTarget(StreamListener next) {
        target = next;
    }

    @Override
    public void head(Http2Headers head, boolean ends) {
        target.head(head, ends);
    }

    @Override
    public void data(ByteBuf bytes, boolean ends) {
        target.data(bytes, ends);
    }

    @Override
    public void trailers(Http2Headers fields) {
        target.trailers(fields);
    }

    @Override
    public void writable() {
        target.writable();
    }

    @Override
    public void ended(StreamEnd end) {
        target.ended(end);
    }
}
