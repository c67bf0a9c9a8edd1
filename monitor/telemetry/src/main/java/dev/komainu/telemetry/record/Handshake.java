package dev.komainu.telemetry.record;

import org.jspecify.annotations.Nullable;

/**
 * The handshake of a connection and its round-trip times (thesis ch. 2; RFC 9293 section 3.5).
 *
 * @param synMicros instant of the first SYN
 * @param synAckMicros instant of the first SYN/ACK
 * @param handshakeMicros duration from first SYN to the ACK of the SYN/ACK
 * @param synCount SYNs sent by the client, including repeats; 0 when picked up midstream
 * @param serverRttMicros SYN/ACK minus the last SYN before it; absent where ambiguous (Karn)
 * @param clientRttMicros ACK minus the last SYN/ACK before it; absent where ambiguous
 */
public record Handshake(
        @Nullable Long synMicros,
        @Nullable Long synAckMicros,
        @Nullable Long handshakeMicros,
        int synCount,
        @Nullable Long serverRttMicros,
        @Nullable Long clientRttMicros) {

    /** A handshake of which no packet was seen. */
    public static final Handshake UNSEEN = new Handshake(null, null, null, 0, null, null);
}
