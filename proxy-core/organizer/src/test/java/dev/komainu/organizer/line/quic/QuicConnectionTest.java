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

    private static final LineConnection.Owner OWNER = new LineConnection.Owner() {
        @Override
        public void ready(LineConnection connection) {}

        @Override
        public void streamClosed(LineConnection connection) {}

        @Override
        public void draining(LineConnection connection) {}

        @Override
        public void lingerTimedOut(LineConnection connection) {}

        @Override
        public void gone(LineConnection connection, String why) {}

        @Override
        public StreamListener requested(
                LineConnection connection, Http2Headers head, boolean ends, LineStream stream) {
            return StreamListener.NOBODY;
        }
    };

    private final QuicConnection client = new QuicConnection(OWNER, LineSettings.DEFAULT, false);

    /**
     * Otherwise the peer that sent the request would never receive a response. 0 and 4 are
     * requests, 2 and 3 messages.
     */
    @ParameterizedTest
    @ValueSource(longs = {0, 2, 3, 4, -2})
    void promise_ofAStreamThatIsNotTheAnswerers_isRefused(long id) {
        assertThatThrownBy(() -> client.expected(id))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("A promise of stream " + id);
        assertThat(client.streams()).isZero();
    }

    @Test
    void promise_ofAStreamThatIsNotHereYet_isExpectedOnce() {
        assertThat(client.expected(5)).isSameAs(client.expected(5));
        assertThat(client.streams()).isEqualTo(1);
    }
}
