package dev.komainu.organizer.line.http2;

import dev.komainu.organizer.line.TransportFigures;
import io.netty.handler.codec.http2.Http2Settings;
import org.jspecify.annotations.Nullable;

/**
 * What the ends of a connection over TCP tell each other of themselves, by settings of the line's
 * own (RFC 9113 section 6.5.2: who does not know them ignores them): whether they answer over QUIC,
 * and what neither can measure alone, how much is lost of what it gets.
 *
 * <p>On the connection's loop.
 */
final class PeerSettings {

    /** 1: this end answers over QUIC, too, at the UDP port of the same number. */
    private static final char OFFERS_QUIC = 0x4b51;
    /** What this end's TCP sent so far, with what it sent again, in KB, modulo 2^32. */
    private static final char SENT_KB = 0x4b53;
    /** Of that, what it sent again. */
    private static final char AGAIN_KB = 0x4b41;

    private static final long NUMBERS = 1L << 32;

    private long toldSent;
    private boolean offersQuic;
    private long sentKb;
    private long againKb;

    /** Says that this end answers over QUIC, too. */
    static void offerQuic(Http2Settings said) {
        said.put(OFFERS_QUIC, Long.valueOf(1));
    }

    /** What there is to tell of this end's own path; absent: not enough was sent since. */
    @Nullable
    Http2Settings toTell(TransportFigures path) {
        if (path.sentBytes() - toldSent < TransportFigures.WORTH_TELLING) {
            return null;
        }
        toldSent = path.sentBytes();
        Http2Settings said = new Http2Settings();
        said.put(SENT_KB, Long.valueOf((path.sentBytes() >> 10) % NUMBERS));
        said.put(AGAIN_KB, Long.valueOf((path.retransmittedBytes() >> 10) % NUMBERS));
        return said;
    }

    /** The peer's came. */
    void heard(Http2Settings said) {
        Long offers = said.get(OFFERS_QUIC);
        Long sent = said.get(SENT_KB);
        Long again = said.get(AGAIN_KB);
        if (offers != null) {
            offersQuic = offers == 1;
        }
        if (sent != null && again != null) {
            sentKb += Math.floorMod(sent - sentKb, NUMBERS);
            againKb += Math.floorMod(again - againKb, NUMBERS);
        }
    }

    /** Whether the peer answers over QUIC, too. */
    boolean offersQuic() {
        return offersQuic;
    }

    /** What the peer sent, as far as it told. */
    long sentBytes() {
        return sentKb << 10;
    }

    /** Of these, what it sent again. */
    long againBytes() {
        return againKb << 10;
    }
}
