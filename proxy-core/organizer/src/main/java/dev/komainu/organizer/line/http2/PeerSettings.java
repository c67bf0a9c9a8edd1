package dev.komainu.organizer.line.http2;

import dev.komainu.organizer.line.TransportFigures;
import io.netty.handler.codec.http2.Http2Settings;
import org.jspecify.annotations.Nullable;

/**
 * Private HTTP/2 settings that the two ends of a TCP connection exchange (RFC 9113 section 6.5.2:
 * an end that does not know them ignores them): whether an end also accepts QUIC, and the loss of
 * its path, which the other end cannot measure.
 *
 * <p>On the connection's loop.
 */
final class PeerSettings {

    /** 1: this end also accepts QUIC, at the UDP port of the same number. */
    private static final char OFFERS_QUIC = 0x4b51;
    /** KB that this end's TCP sent so far, with retransmissions, modulo 2^32. */
    private static final char SENT_KB = 0x4b53;
    /** The retransmitted part of these. */
    private static final char AGAIN_KB = 0x4b41;

    private static final long NUMBERS = 1L << 32;

    private long reportedSent;
    private boolean offersQuic;
    private long sentKb;
    private long againKb;

    /** Adds the offer of QUIC. */
    static void offerQuic(Http2Settings settings) {
        settings.put(OFFERS_QUIC, Long.valueOf(1));
    }

    /**
     * Returns the next report of this end's path; null: too little was sent since the last report.
     */
    @Nullable
    Http2Settings nextReport(TransportFigures path) {
        if (path.sentBytes() - reportedSent < TransportFigures.REPORT_STEP_BYTES) {
            return null;
        }
        reportedSent = path.sentBytes();
        Http2Settings settings = new Http2Settings();
        settings.put(SENT_KB, Long.valueOf((path.sentBytes() >> 10) % NUMBERS));
        settings.put(AGAIN_KB, Long.valueOf((path.retransmittedBytes() >> 10) % NUMBERS));
        return settings;
    }

    /** Reads the peer's settings. */
    void received(Http2Settings settings) {
        Long offers = settings.get(OFFERS_QUIC);
        Long sent = settings.get(SENT_KB);
        Long again = settings.get(AGAIN_KB);
        if (offers != null) {
            offersQuic = offers == 1;
        }
        if (sent != null && again != null) {
            sentKb += Math.floorMod(sent - sentKb, NUMBERS);
            againKb += Math.floorMod(again - againKb, NUMBERS);
        }
    }

    /** Returns whether the peer also accepts QUIC. */
    boolean offersQuic() {
        return offersQuic;
    }

    /** Returns the bytes that the peer sent, as it reports them. */
    long sentBytes() {
        return sentKb << 10;
    }

    /** Returns the part of these that was retransmitted. */
    long againBytes() {
        return againKb << 10;
    }
}
