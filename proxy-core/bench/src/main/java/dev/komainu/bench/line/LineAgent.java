package dev.komainu.bench.line;

import dev.komainu.organizer.line.LineStream;
import dev.komainu.organizer.line.StreamEnd;
import dev.komainu.organizer.line.StreamListener;
import dev.komainu.organizer.line.endpoint.Line;
import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.http2.DefaultHttp2Headers;
import io.netty.handler.codec.http2.Http2Headers;
import org.jspecify.annotations.Nullable;

/** Asks over the line, which all agents share. */
final class LineAgent implements BenchAgent {

    private final Line line;
    private final String authority;

    LineAgent(Line line, String authority) {
        this.line = line;
        this.authority = authority;
    }

    @Override
    public void ask(Round round) {
        Hearing hearing = new Hearing(round);
        hearing.stream = line.open(
                new DefaultHttp2Headers()
                        .method("GET")
                        .scheme("http")
                        .authority(authority)
                        .path("/object/1/" + round.bytes() + "/fresh"),
                true,
                hearing);
    }

    private static final class Hearing implements StreamListener {

        private final Round round;
        private @Nullable LineStream stream;
        private int received;

        Hearing(Round round) {
            this.round = round;
        }

        @Override
        public void head(Http2Headers head, boolean ends) {
            // The size tells whether it was found.
        }

        @Override
        public void data(ByteBuf bytes, boolean ends) {
            int count = bytes.readableBytes();
            bytes.release();
            received += count;
            LineStream from = stream;
            if (from != null) {
                from.consumed(count);
            }
        }

        @Override
        public void trailers(Http2Headers fields) {
            // Nothing to do with them.
        }

        @Override
        public void writable() {
            // A request without a body.
        }

        @Override
        public void ended(StreamEnd how) {
            if (how.reason() == StreamEnd.Reason.COMPLETE) {
                round.done(received);
            } else {
                round.failed(how.reason() + ": " + how.detail());
            }
        }
    }
}
