package dev.komainu.organizer.front;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.organizer.line.LineStream;
import dev.komainu.organizer.line.StreamEnd;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.EventLoop;
import io.netty.handler.codec.http2.DefaultHttp2Headers;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2Headers;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class MessageAggregatorTest {

    private final List<String> told = new ArrayList<>();
    private int consumed;
    private final MessageAggregator message = new MessageAggregator(6) {
        @Override
        void complete(String text) {
            told.add("whole " + text);
        }

        @Override
        void failed(boolean refused) {
            told.add(refused ? "refused" : "none");
        }
    };

    @BeforeEach
    void setUp() {
        message.setStream(new LineStream() {
            @Override
            public EventLoop loop() {
                throw new UnsupportedOperationException();
            }

            @Override
            public void head(Http2Headers head, boolean ends) {}

            @Override
            public void data(ByteBuf bytes, boolean ends) {
                bytes.release();
            }

            @Override
            public void trailers(Http2Headers fields) {}

            @Override
            public boolean isWritable() {
                return true;
            }

            @Override
            public void consumed(int bytes) {
                consumed += bytes;
            }

            @Override
            public void reset(Http2Error why) {
                told.add("reset " + why);
                message.ended(new StreamEnd(StreamEnd.Reason.CANCELLED, 0, ""));
            }
        });
    }

    private void receive(String text, boolean ends) {
        message.data(Unpooled.copiedBuffer(text, StandardCharsets.US_ASCII), ends);
    }

    @Test
    void message_inParts_isHandedOverWhole() {
        message.head(new DefaultHttp2Headers().status("200"), false);
        receive("abc", false);
        receive("def", true);
        message.ended(new StreamEnd(StreamEnd.Reason.COMPLETE, 0, ""));
        assertThat(told).containsExactly("whole abcdef");
        assertThat(consumed).isEqualTo(6);
    }

    @Test
    void message_thatIsTooLong_isNoneAndNotOneWithAHole() {
        message.head(new DefaultHttp2Headers().status("200"), false);
        receive("abc", false);
        receive("defg", false);
        receive("hi", true);
        assertThat(told).containsExactly("none", "reset ENHANCE_YOUR_CALM");
        assertThat(consumed).isEqualTo(9);
    }

    @Test
    void message_thatBreaksOff_isNone() {
        message.head(new DefaultHttp2Headers().status("200"), false);
        receive("abc", false);
        message.ended(new StreamEnd(StreamEnd.Reason.LOST, 0, ""));
        assertThat(told).containsExactly("none");
    }

    @Test
    void refusal_isTold() {
        message.head(new DefaultHttp2Headers().status("404"), true);
        assertThat(told).containsExactly("refused");
    }
}
