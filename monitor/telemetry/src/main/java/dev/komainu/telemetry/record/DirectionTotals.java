package dev.komainu.telemetry.record;

/**
 * Totals of one direction of a connection. "Up" is client to server, "down" is server to client.
 *
 * @param packets TCP segments seen, including pure acknowledgements
 * @param wireBytes IP bytes: IP header, TCP header, payload
 * @param payloadBytes TCP payload, including retransmissions
 * @param uniqueBytes TCP payload, each sequence number counted once
 * @param retransmissions segments with only sequence numbers seen before
 * @param outOfOrder segments that filled a gap: below the highest sequence number, but not seen
 *     before
 * @param zeroWindow times the sender of this direction announced a closed receive window
 */
public record DirectionTotals(
        long packets,
        long wireBytes,
        long payloadBytes,
        long uniqueBytes,
        long retransmissions,
        long outOfOrder,
        long zeroWindow) {

    public static final DirectionTotals NONE = new DirectionTotals(0, 0, 0, 0, 0, 0, 0);
}
