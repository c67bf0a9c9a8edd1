package dev.komainu.agent.packet;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * Reads link, IP and TCP headers in place and hands the segment on; what is no readable TCP packet is counted by reason.
 *
 * <p>Whatever the bytes, nothing beyond {@code captured} is read and nothing is thrown.
 */
public final class FrameDecoder implements FrameSink {

    /** What became of a frame. */
    public enum Outcome {
        /** Handed on. */
        TCP,
        /** No IP in it, or a link layer we cannot read. */
        NOT_IP,
        /** IP without TCP. */
        NOT_TCP,
        /** A later piece of a fragmented IP packet: has no TCP header (first pieces are handed on). */
        LATER_FRAGMENT,
        /** The snaplen cut it before the end of the TCP header. */
        CUT,
        /** Lengths inside contradict each other. */
        MALFORMED
    }

    private static final ValueLayout.OfByte BYTE = ValueLayout.JAVA_BYTE;
    private static final ValueLayout.OfShort SHORT = ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

    private static final int IPV4 = 0x0800;
    private static final int IPV6 = 0x86dd;
    private static final int PPPOE = 0x8864;
    private static final int NONE = -1;
    private static final int PROTOCOL_TCP = 6;
    private static final int MOST_TAGS = 4;
    private static final int MOST_EXTENSIONS = 8;
    private static final long MAPPED_IPV4 = 0xffff_0000_0000L;

    private final SegmentSink sink;
    private final TcpSegment segment = new TcpSegment();
    private final long[] counts = new long[Outcome.values().length];

    public FrameDecoder(SegmentSink sink) {
        this.sink = sink;
    }

    /** Frames with this outcome so far. The source's thread, or any after it ended. */
    public long count(Outcome outcome) {
        return counts[outcome.ordinal()];
    }

    @Override
    public void frame(long micros, LinkType link, MemorySegment memory, long offset, int captured, int length) {
        segment.micros = micros;
        segment.memory = memory;
        Outcome outcome = decode(link, memory, offset, captured, length);
        counts[outcome.ordinal()]++;
        if (outcome == Outcome.TCP) {
            sink.segment(segment);
        }
    }

    @Override
    public void idle(long micros) {
        sink.idle(micros);
    }

    private Outcome decode(LinkType link, MemorySegment m, long offset, int captured, int length) {
        long end = offset + captured;
        long frameEnd = offset + length;
        return switch (link) {
            case ETHERNET ->
                captured < 14 ? Outcome.CUT : tagged(m, ushort(m, offset + 12), offset + 14, end, frameEnd);
            case LINUX_SLL ->
                captured < 16 ? Outcome.CUT : tagged(m, ushort(m, offset + 14), offset + 16, end, frameEnd);
            case LINUX_SLL2 -> captured < 20 ? Outcome.CUT : tagged(m, ushort(m, offset), offset + 20, end, frameEnd);
            case NULL, LOOP -> captured < 4 ? Outcome.CUT : family(m, offset, end, frameEnd);
            case RAW -> ip(m, offset, end, frameEnd);
            case OTHER -> Outcome.NOT_IP;
        };
    }

    /** The address family is a small number in either byte order: 2 is IPv4; BSDs disagree about IPv6. */
    private Outcome family(MemorySegment m, long offset, long end, long frameEnd) {
        int family = m.get(INT, offset);
        if (family < 0 || family > 0xffff) {
            family = Integer.reverseBytes(family);
        }
        return family == 2 || family == 10 || family == 24 || family == 28 || family == 30
                ? ip(m, offset + 4, end, frameEnd)
                : Outcome.NOT_IP;
    }

    /** Steps over VLAN tags (802.1Q, QinQ) and PPPoE. */
    private Outcome tagged(MemorySegment m, int firstType, long offset, long end, long frameEnd) {
        int type = firstType;
        long at = offset;
        for (int tags = 0; type == 0x8100 || type == 0x88a8 || type == 0x9100; tags++) {
            if (tags == MOST_TAGS) {
                return Outcome.NOT_IP;
            }
            if (end - at < 4) {
                return Outcome.CUT;
            }
            type = ushort(m, at + 2);
            at += 4;
        }
        if (type == PPPOE) {
            if (end - at < 8) {
                return Outcome.CUT;
            }
            int protocol = ushort(m, at + 6);
            type = protocol == 0x21 ? IPV4 : protocol == 0x57 ? IPV6 : NONE;
            at += 8;
        }
        return type == IPV4 || type == IPV6 ? ip(m, at, end, frameEnd) : Outcome.NOT_IP;
    }

    private Outcome ip(MemorySegment m, long at, long end, long frameEnd) {
        if (end - at < 1) {
            return Outcome.CUT;
        }
        int version = m.get(BYTE, at) >> 4 & 0xf;
        return version == 4
                ? ipv4(m, at, end, frameEnd)
                : version == 6 ? ipv6(m, at, end, frameEnd) : Outcome.MALFORMED;
    }

    private Outcome ipv4(MemorySegment m, long at, long end, long frameEnd) {
        if (end - at < 20) {
            return Outcome.CUT;
        }
        int header = (m.get(BYTE, at) & 0xf) * 4;
        int total = ushort(m, at + 2);
        if (total == 0) {
            // Segmentation offload: the card would have written the length.
            total = (int) (frameEnd - at);
        }
        if (header < 20 || total < header) {
            return Outcome.MALFORMED;
        }
        if ((ushort(m, at + 6) & 0x1fff) != 0) {
            return m.get(BYTE, at + 9) == PROTOCOL_TCP ? Outcome.LATER_FRAGMENT : Outcome.NOT_TCP;
        }
        if (m.get(BYTE, at + 9) != PROTOCOL_TCP) {
            return Outcome.NOT_TCP;
        }
        segment.sourceHigh = 0;
        segment.sourceLow = MAPPED_IPV4 | Integer.toUnsignedLong(m.get(INT, at + 12));
        segment.targetHigh = 0;
        segment.targetLow = MAPPED_IPV4 | Integer.toUnsignedLong(m.get(INT, at + 16));
        return tcp(m, at, at + header, at + total, end);
    }

    private Outcome ipv6(MemorySegment m, long at, long end, long frameEnd) {
        if (end - at < 40) {
            return Outcome.CUT;
        }
        int payload = ushort(m, at + 4);
        long packetEnd = payload == 0 ? frameEnd : at + 40 + payload;
        int next = m.get(BYTE, at + 6) & 0xff;
        long header = at + 40;
        for (int extensions = 0; next != PROTOCOL_TCP; extensions++) {
            boolean fragment = next == 44;
            if (!fragment && next != 0 && next != 43 && next != 51 && next != 60 || extensions == MOST_EXTENSIONS) {
                return Outcome.NOT_TCP;
            }
            if (end - header < 8) {
                return Outcome.CUT;
            }
            if (fragment && (ushort(m, header + 2) & 0xfff8) != 0) {
                return Outcome.LATER_FRAGMENT;
            }
            int size = m.get(BYTE, header + 1) & 0xff;
            int length = fragment ? 8 : next == 51 ? (size + 2) * 4 : (size + 1) * 8;
            next = m.get(BYTE, header) & 0xff;
            header += length;
            if (header > packetEnd) {
                return Outcome.MALFORMED;
            }
        }
        segment.sourceHigh = m.get(LONG, at + 8);
        segment.sourceLow = m.get(LONG, at + 16);
        segment.targetHigh = m.get(LONG, at + 24);
        segment.targetLow = m.get(LONG, at + 32);
        return tcp(m, at, header, packetEnd, end);
    }

    /** @param packetEnd where the IP packet ends on the wire, before any padding of the frame */
    private Outcome tcp(MemorySegment m, long ipStart, long at, long packetEnd, long end) {
        if (end - at < 20) {
            return packetEnd - at < 20 ? Outcome.MALFORMED : Outcome.CUT;
        }
        int header = (m.get(BYTE, at + 12) >> 4 & 0xf) * 4;
        long payload = packetEnd - at - header;
        if (header < 20 || payload < 0 || payload > Integer.MAX_VALUE) {
            return Outcome.MALFORMED;
        }
        TcpSegment s = segment;
        s.sourcePort = ushort(m, at);
        s.targetPort = ushort(m, at + 2);
        s.sequence = m.get(INT, at + 4);
        s.acknowledgement = m.get(INT, at + 8);
        s.flags = m.get(BYTE, at + 13) & 0xff;
        s.window = ushort(m, at + 14);
        s.ipLength = (int) (packetEnd - ipStart);
        s.payloadLength = (int) payload;
        s.payloadOffset = at + header;
        s.payloadCaptured = (int) Math.clamp(end - at - header, 0, payload);
        s.windowScale =
                s.has(TcpSegment.SYN) ? windowScale(m, at + 20, Math.min(at + header, end)) : TcpSegment.NO_SCALE;
        return Outcome.TCP;
    }

    /** RFC 7323 2.2: kind 3, length 3, shift. */
    private static int windowScale(MemorySegment m, long first, long end) {
        long at = first;
        while (at < end) {
            int kind = m.get(BYTE, at);
            if (kind == 0) {
                break;
            }
            if (kind == 1) {
                at++;
                continue;
            }
            if (end - at < 2) {
                break;
            }
            int length = m.get(BYTE, at + 1) & 0xff;
            if (length < 2 || at + length > end) {
                break;
            }
            if (kind == 3 && length == 3) {
                return Math.min(m.get(BYTE, at + 2) & 0xff, 14);
            }
            at += length;
        }
        return TcpSegment.NO_SCALE;
    }

    private static int ushort(MemorySegment m, long at) {
        return m.get(SHORT, at) & 0xffff;
    }
}
