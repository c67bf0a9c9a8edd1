package dev.komainu.agent.packet;

import java.lang.foreign.MemorySegment;

/**
 * One TCP packet by its headers; a view that the decoder fills for each packet, valid during the
 * call only.
 *
 * <p>Fields instead of accessors, no objects inside: this is written and read millions of times a
 * second. Addresses are 128 bits in two longs; IPv4 lies in the low half as {@code ::ffff:a.b.c.d}
 * (RFC 4291 2.5.5.2).
 */
public final class TcpSegment {

    public static final int FIN = 0x01;
    public static final int SYN = 0x02;
    public static final int RST = 0x04;
    public static final int ACK = 0x10;

    /** Value of {@link #windowScale} when the option is absent. */
    public static final int NO_SCALE = -1;

    /** Instant of capture, microseconds since the epoch. */
    public long micros;

    public long sourceHigh;
    public long sourceLow;
    public long targetHigh;
    public long targetLow;
    public int sourcePort;
    public int targetPort;
    public int sequence;
    public int acknowledgement;
    /** The lower eight flag bits of the header. */
    public int flags;
    /** Identification of the IPv4 header, 0 to 65535; 0 for IPv6. */
    public int identification;
    /**
     * The interface at which the packet was seen, where the source reads several: any number, equal
     * for equal interfaces.
     */
    public int networkInterface;
    /** Window as announced, not scaled. */
    public int window;
    /** Window scale from the option of a SYN, 0 to 14; else {@link #NO_SCALE}. */
    public int windowScale;
    /** Length of IP header, TCP header and payload, bytes. */
    public int ipLength;
    /** Length of the payload on the wire, bytes. */
    public int payloadLength;
    /**
     * Length of the readable payload, bytes; less than {@link #payloadLength} when a snaplen cut
     * the packet.
     */
    public int payloadCaptured;
    /** Offset of the payload: {@link #payloadCaptured} bytes of {@link #memory} from here. */
    public long payloadOffset;

    public MemorySegment memory = MemorySegment.NULL;

    public boolean has(int flag) {
        return (flags & flag) != 0;
    }
}
