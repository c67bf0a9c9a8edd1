package dev.komainu.organizer.line.http2;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.organizer.line.TransportFigures;
import io.netty.handler.codec.http2.Http2Settings;
import org.junit.jupiter.api.Test;

class PeerSettingsTest {

    private final PeerSettings ours = new PeerSettings();
    private final PeerSettings theirs = new PeerSettings();

    private static TransportFigures sent(long bytes, long again) {
        return new TransportFigures("", 0, 0, 0, bytes, again, 0);
    }

    @Test
    void loss_whereEnoughWasSent_isHeardInKilobytes() {
        theirs.heard(ours.toTell(sent(1_000_000, 30_000)));
        assertThat(theirs.sentBytes()).isEqualTo(1_000_000 >> 10 << 10);
        assertThat(theirs.againBytes()).isEqualTo(30_000 >> 10 << 10);
        assertThat(ours.toTell(sent(1_000_000 + TransportFigures.WORTH_TELLING - 1, 30_000)))
                .isNull();
        assertThat(ours.toTell(sent(1_000_000 + TransportFigures.WORTH_TELLING, 30_000)))
                .isNotNull();
    }

    @Test
    void numbers_thatBeganAgain_areCountedOn() {
        long most = 1L << 42; // 2^32 KB
        theirs.heard(ours.toTell(sent(most - (8 << 10), 0)));
        theirs.heard(ours.toTell(sent(most + (1 << 20), 1 << 20)));
        assertThat(theirs.sentBytes()).isEqualTo(most + (1 << 20));
        assertThat(theirs.againBytes()).isEqualTo(1 << 20);
    }

    @Test
    void quic_isOfferedByWhoSaysSo() {
        assertThat(theirs.offersQuic()).isFalse();
        theirs.heard(new Http2Settings().maxConcurrentStreams(7));
        assertThat(theirs.offersQuic()).isFalse();
        Http2Settings said = new Http2Settings();
        PeerSettings.offerQuic(said);
        theirs.heard(said);
        assertThat(theirs.offersQuic()).isTrue();
    }
}
