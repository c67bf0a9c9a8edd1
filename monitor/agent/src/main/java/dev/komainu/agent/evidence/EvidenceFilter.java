package dev.komainu.agent.evidence;

import dev.komainu.agent.packet.TcpSegment;
import dev.komainu.telemetry.record.Endpoint;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Filter of the packets to cut out. An absent value does not filter.
 *
 * @param one an address, with a port or without (0), at either end
 * @param other a second address; both must be ends of the packet
 * @param fromMicros earliest instant
 * @param toMicros latest instant
 */
record EvidenceFilter(@Nullable Side one, @Nullable Side other, long fromMicros, long toMicros) {

    /** An address as {@link TcpSegment} has it; port 0 stands for every port. */
    record Side(long high, long low, int port) {

        static Side of(InetAddress address, int port) {
            ByteBuffer bytes = ByteBuffer.wrap(address.getAddress());
            return bytes.remaining() == 4
                    ? new Side(0, 0xffff_0000_0000L | Integer.toUnsignedLong(bytes.getInt()), port)
                    : new Side(bytes.getLong(), bytes.getLong(), port);
        }

        /**
         * Parses an address.
         *
         * @throws IllegalArgumentException when the text is neither {@code ADDRESS} nor
         *     {@code ADDRESS:PORT}
         */
        static Side parse(String text) {
            try {
                return of(InetAddress.ofLiteral(text), 0);
            } catch (IllegalArgumentException e) {
                Endpoint endpoint = Endpoint.parse(text);
                return of(endpoint.address(), endpoint.port());
            }
        }

        private boolean isAt(long otherHigh, long otherLow, int otherPort) {
            return high == otherHigh && low == otherLow && (port == 0 || port == otherPort);
        }
    }

    boolean matches(TcpSegment s) {
        return s.micros >= fromMicros && s.micros <= toMicros && hasSides(s);
    }

    private boolean hasSides(TcpSegment s) {
        return runs(one, other, s) || runs(other, one, s);
    }

    private static boolean runs(@Nullable Side from, @Nullable Side to, TcpSegment s) {
        return (from == null || from.isAt(s.sourceHigh, s.sourceLow, s.sourcePort))
                && (to == null || to.isAt(s.targetHigh, s.targetLow, s.targetPort));
    }
}
