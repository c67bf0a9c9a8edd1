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
    void loss_afterEnoughBytes_isReportedInKilobytes() {
        theirs.received(ours.nextReport(sent(1_000_000, 30_000)));
        assertThat(theirs.sentBytes()).isEqualTo(1_000_000 >> 10 << 10);
        assertThat(theirs.againBytes()).isEqualTo(30_000 >> 10 << 10);
        assertThat(ours.nextReport(
                        sent(1_000_000 + TransportFigures.REPORT_STEP_BYTES - 1, 30_000)))
                .isNull();
        assertThat(ours.nextReport(sent(1_000_000 + TransportFigures.REPORT_STEP_BYTES, 30_000)))
                .isNotNull();
    }

    @Test
    void numbers_thatBeganAgain_areCountedOn() {
        long most = 1L << 42; // 2^32 KB
        theirs.received(ours.nextReport(sent(most - (8 << 10), 0)));
        theirs.received(ours.nextReport(sent(most + (1 << 20), 1 << 20)));
        assertThat(theirs.sentBytes()).isEqualTo(most + (1 << 20));
        assertThat(theirs.againBytes()).isEqualTo(1 << 20);
    }

    @Test
    void quic_offer_isReceived() {
        assertThat(theirs.offersQuic()).isFalse();
        theirs.received(new Http2Settings().maxConcurrentStreams(7));
        assertThat(theirs.offersQuic()).isFalse();
        Http2Settings settings = new Http2Settings();
        PeerSettings.offerQuic(settings);
        theirs.received(settings);
        assertThat(theirs.offersQuic()).isTrue();
    }
}
