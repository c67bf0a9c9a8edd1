package dev.komainu.bench.line;

import dev.komainu.organizer.line.LineStream;
import dev.komainu.organizer.line.StreamEnd;
import dev.komainu.organizer.line.StreamListener;
import dev.komainu.organizer.line.endpoint.Line;
import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.http2.DefaultHttp2Headers;
import io.netty.handler.codec.http2.Http2Headers;
import org.jspecify.annotations.Nullable;

/** An agent that uses the line, which all agents share. */
final class LineAgent implements BenchAgent {

    private final Line line;
    private final String authority;

    LineAgent(Line line, String authority) {
        this.line = line;
        this.authority = authority;
    }

    @Override
    public void request(Round round) {
        ResponseListener listener = new ResponseListener(round);
        listener.stream = line.open(
                new DefaultHttp2Headers()
                        .method("GET")
                        .scheme("http")
                        .authority(authority)
                        .path("/object/1/" + round.bytes() + "/fresh"),
                true,
                listener);
    }

    private static final class ResponseListener implements StreamListener {

        private final Round round;
        private @Nullable LineStream stream;
        private int received;

        ResponseListener(Round round) {
            this.round = round;
        }

        @Override
        public void head(Http2Headers head, boolean last) {
            // The size shows whether the object exists.
        }

        @Override
        public void data(ByteBuf bytes, boolean last) {
            int count = bytes.readableBytes();
            bytes.release();
            received += count;
            LineStream source = stream;
            if (source != null) {
                source.consumed(count);
            }
        }

        @Override
        public void trailers(Http2Headers fields) {
            // Trailers are ignored.
        }

        @Override
        public void writable() {
            // The request has no body.
        }

        @Override
        public void ended(StreamEnd end) {
            if (end.reason() == StreamEnd.Reason.COMPLETE) {
                round.done(received);
            } else {
                round.failed(end.reason() + ": " + end.detail());
            }
        }
    }
}
