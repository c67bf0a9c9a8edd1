package dev.komainu.organizer.line.quic;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.komainu.organizer.line.LineSettings;
import dev.komainu.organizer.line.LineStream;
import dev.komainu.organizer.line.StreamListener;
import dev.komainu.organizer.line.connection.LineConnection;
import io.netty.handler.codec.http2.Http2Headers;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class QuicConnectionTest {

    private static final LineConnection.Owner NOBODY = new LineConnection.Owner() {
        @Override
        public void ready(LineConnection connection) {}

        @Override
        public void streamClosed(LineConnection connection) {}

        @Override
        public void draining(LineConnection connection) {}

        @Override
        public void lingeredOut(LineConnection connection) {}

        @Override
        public void gone(LineConnection connection, String why) {}

        @Override
        public StreamListener asked(
                LineConnection connection, Http2Headers head, boolean ends, LineStream stream) {
            return StreamListener.NOBODY;
        }
    };

    private final QuicConnection asks = new QuicConnection(NOBODY, LineSettings.DEFAULT, false);

    /**
     * Or whoever asked on it would never hear an answer: 0 and 4 are requests, 2 and 3 messages.
     */
    @ParameterizedTest
    @ValueSource(longs = {0, 2, 3, 4, -2})
    void promise_ofAStreamThatIsNotTheAnswerers_isRefused(long id) {
        assertThatThrownBy(() -> asks.expected(id))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("A promise of stream " + id);
        assertThat(asks.streams()).isZero();
    }

    @Test
    void promise_ofAStreamThatIsNotHereYet_isExpectedOnce() {
        assertThat(asks.expected(5)).isSameAs(asks.expected(5));
        assertThat(asks.streams()).isEqualTo(1);
    }
}
