package dev.komainu.organizer.service;

import dev.komainu.organizer.line.StreamEnd;
import dev.komainu.organizer.line.StreamListener;
import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.http2.Http2Headers;

/** Passes on what it hears; who must hear some of it first overrides that. */
class ForwardingListener implements StreamListener {

    private StreamListener to;

    ForwardingListener(StreamListener to) {
        this.to = to;
    }

    /** From now on somebody else hears it. */
    final void to(StreamListener next) {
        to = next;
    }

    @Override
    public void head(Http2Headers head, boolean ends) {
        to.head(head, ends);
    }

    @Override
    public void data(ByteBuf bytes, boolean ends) {
        to.data(bytes, ends);
    }

    @Override
    public void trailers(Http2Headers fields) {
        to.trailers(fields);
    }

    @Override
    public void writable() {
        to.writable();
    }

    @Override
    public void ended(StreamEnd how) {
        to.ended(how);
    }
}
