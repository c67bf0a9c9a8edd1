package dev.komainu.organizer.line.endpoint;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.organizer.line.kit.Heard;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http2.DefaultHttp2Headers;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class ReplayableBodyTest {

    private final ReplayableBody kept = new ReplayableBody();

    private static ByteBuf part(String text) {
        return Unpooled.copiedBuffer(text, StandardCharsets.US_ASCII);
    }

    private static String said(ReplayableBody body) {
        Heard received = new Heard(false);
        body.sayTo(received);
        return received.body.toString(StandardCharsets.US_ASCII)
                + (received.ended ? "." : "")
                + (received.trailers == null ? "" : received.trailers.get("grade"));
    }

    @Test
    void stored_isSentAgainWithItsEnd() {
        kept.add(part("ab"), false);
        assertThat(said(kept)).isEqualTo("ab");
        kept.add(part("c"), true);
        assertThat(said(kept)).isEqualTo("abc.");
        assertThat(said(kept)).isEqualTo("abc.");
        assertThat(kept.bytes()).isEqualTo(3);
        kept.forget();
    }

    @Test
    void trailers_areSentAgain() {
        kept.add(part("ab"), false);
        kept.add(new DefaultHttp2Headers().add("grade", "good"));
        assertThat(said(kept)).isEqualTo("abgood");
        kept.forget();
    }

    @Test
    void forget_releasesAndIsNeverWholeAgain() {
        ByteBuf part = part("ab");
        kept.add(part, true);
        assertThat(kept.isWhole()).isTrue();
        kept.forget();
        assertThat(part.refCnt()).isZero();
        assertThat(kept.isWhole()).isFalse();
        assertThat(kept.bytes()).isZero();
        assertThat(said(kept)).isEmpty();
    }

    @Test
    void forget_whileSending_endsThere() {
        kept.add(part("ab"), false);
        kept.add(part("c"), true);
        Heard received = new Heard(false) {
            @Override
            public void data(ByteBuf data, boolean ends) {
                super.data(data, ends);
                kept.forget();
            }
        };
        kept.sayTo(received);
        assertThat(received.body.toString(StandardCharsets.US_ASCII)).isEqualTo("ab");
    }
}
