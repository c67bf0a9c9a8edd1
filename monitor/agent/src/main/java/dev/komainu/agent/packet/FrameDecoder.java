package dev.komainu.agent.packet;

import java.lang.foreign.MemorySegment;

/**
 * Decoder of link, IP and TCP headers. Segments are passed on; other frames are counted by reason.
 *
 * <p>The headers are copied into an array first, the payload never: one copy of 128 bytes costs
 * less than forty checked reads from the source's memory, and compiles into a quarter of the code.
 *
 * <p>For any input, no byte beyond {@code captured} is read, and no exception is thrown.
 */
public final class FrameDecoder implements FrameSink {

    /** Outcome of a frame. */
    public enum Outcome {
        /** Passed on. */
        TCP,
        /** No IP packet, or an unsupported link layer. */
        NOT_IP,
        /** IP without TCP. */
        NOT_TCP,
        /** A later fragment of an IP packet: has no TCP header (first fragments are passed on). */
        LATER_FRAGMENT,
        /** The snaplen cut it before the end of the TCP header. */
        CUT,
        /** Lengths inside the frame contradict each other. */
        MALFORMED
    }

    /** Large enough for the headers of nearly every frame. */
    private static final int HEAD_BYTES = 128;
    /**
     * Large enough for the longest possible headers: tags, eight extensions of 2 KB, TCP with its
     * options.
     */
    private static final int LONGEST_HEAD_BYTES = 20_480;

    /** Ethernet, IPv4 and TCP, all without options. */
    private static final int PLAIN_BYTES = 54;

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
    private final byte[] head = new byte[HEAD_BYTES];
    /**
     * The same array as a segment: copying between segments needs none of the method handles that
     * copying to an array builds at first use.
     */
    private final MemorySegment headSegment = MemorySegment.ofArray(head);

    private byte[] longHead = head;
    /**
     * Offset of the frame in the source's memory; {@link #captured} is the number of its bytes
     * there.
     */
    private long frameOffset;

    private int captured;
    private final long[] counts = new long[Outcome.values().length];

    private int networkInterface;

    public FrameDecoder(SegmentSink sink) {
        this.sink = sink;
    }

    /** Returns the frames with this outcome so far. The source's thread, or any after it ended. */
    public long count(Outcome outcome) {
        return counts[outcome.ordinal()];
    }

    @Override
    public void frame(
            long micros,
            LinkType link,
            MemorySegment memory,
            long offset,
            int captured,
            int length) {
        segment.micros = micros;
        segment.networkInterface = networkInterface;
        segment.memory = memory;
        frameOffset = offset;
        this.captured = captured;
        int headBytes = Math.min(captured, HEAD_BYTES);
        MemorySegment.copy(memory, offset, headSegment, 0, headBytes);
        Outcome outcome = link == LinkType.ETHERNET
                        && headBytes >= PLAIN_BYTES
                        && decodePlain(head, headBytes, length)
                ? Outcome.TCP
                : decode(link, head, headBytes, length);
        if (outcome == Outcome.CUT && headBytes < captured) {
            outcome = decodeLong(link, memory, offset, length);
        }
        counts[outcome.ordinal()]++;
        if (outcome == Outcome.TCP) {
            sink.segment(segment);
        }
    }

    /**
     * Decodes the most frequent kind of frame in one piece, so that no method need be inlined: a
     * whole, untagged frame of TCP over IPv4 without options. False unless all values are as
     * expected; {@link #decode} then finds the reason.
     */
    private boolean decodePlain(byte[] m, int end, int length) {
        if (m[12] != 8
                || m[13] != 0
                || m[14] != 0x45
                || ((m[20] & 0x3f) | m[21]) != 0
                || m[23] != PROTOCOL_TCP) {
            return false;
        }
        int total = (m[16] & 0xff) << 8 | (m[17] & 0xff);
        int header = m[46] >> 2 & 0x3c;
        int flags = m[47];
        int payload = total - 20 - header;
        if (header < 20
                || payload < 0
                || 34 + header > end
                || (flags & TcpSegment.SYN) != 0
                || total > length) {
            return false;
        }
        TcpSegment s = segment;
        s.identification = (m[18] & 0xff) << 8 | (m[19] & 0xff);
        s.sourceHigh = 0;
        s.sourceLow = MAPPED_IPV4
                | (((m[26] & 0xff) << 24
                                | (m[27] & 0xff) << 16
                                | (m[28] & 0xff) << 8
                                | (m[29] & 0xff))
                        & 0xffff_ffffL);
        s.targetHigh = 0;
        s.targetLow = MAPPED_IPV4
                | (((m[30] & 0xff) << 24
                                | (m[31] & 0xff) << 16
                                | (m[32] & 0xff) << 8
                                | (m[33] & 0xff))
                        & 0xffff_ffffL);
        s.sourcePort = (m[34] & 0xff) << 8 | (m[35] & 0xff);
        s.targetPort = (m[36] & 0xff) << 8 | (m[37] & 0xff);
        s.sequence =
                (m[38] & 0xff) << 24 | (m[39] & 0xff) << 16 | (m[40] & 0xff) << 8 | (m[41] & 0xff);
        s.acknowledgement =
                (m[42] & 0xff) << 24 | (m[43] & 0xff) << 16 | (m[44] & 0xff) << 8 | (m[45] & 0xff);
        s.flags = flags & 0xff;
        s.window = (m[48] & 0xff) << 8 | (m[49] & 0xff);
        s.windowScale = TcpSegment.NO_SCALE;
        s.ipLength = total;
        s.payloadLength = payload;
        int before = 34 + header;
        s.payloadOffset = frameOffset + before;
        int readable = captured - before;
        s.payloadCaptured = readable < payload ? readable : payload;
        return true;
    }

    private Outcome decodeLong(LinkType link, MemorySegment memory, long offset, int length) {
        if (longHead == head) {
            longHead = new byte[LONGEST_HEAD_BYTES];
        }
        int headBytes = Math.min(captured, LONGEST_HEAD_BYTES);
        MemorySegment.copy(memory, offset, MemorySegment.ofArray(longHead), 0, headBytes);
        return decode(link, longHead, headBytes, length);
    }

    @Override
    public void setInterface(int otherInterface) {
        networkInterface = otherInterface;
    }

    @Override
    public void idle(long micros) {
        sink.idle(micros);
    }

    /**
     * Decodes a frame.
     *
     * @param end number of bytes in {@code m}; a header beyond it is {@link Outcome#CUT}
     */
    private Outcome decode(LinkType link, byte[] m, int end, int length) {
        return switch (link) {
            case ETHERNET -> end < 14 ? Outcome.CUT : tagged(m, ushort(m, 12), 14, end, length);
            case LINUX_SLL -> {
                if (end < 16) {
                    yield Outcome.CUT;
                }
                // The header does not contain the interface itself:
                // direction and address stand for it.
                segment.networkInterface = ushort(m, 0) << 13 ^ ushort(m, 8) ^ ushort(m, 10);
                yield tagged(m, ushort(m, 14), 16, end, length);
            }
            case LINUX_SLL2 -> {
                if (end < 20) {
                    yield Outcome.CUT;
                }
                segment.networkInterface = word(m, 4);
                yield tagged(m, ushort(m, 0), 20, end, length);
            }
            case NULL, LOOP -> end < 4 ? Outcome.CUT : family(m, end, length);
            case RAW -> ip(m, 0, end, length);
            case OTHER -> Outcome.NOT_IP;
        };
    }

    /**
     * The address family is a small number in either byte order: 2 is IPv4; BSDs disagree about
     * IPv6.
     */
    private Outcome family(byte[] m, int end, int frameEnd) {
        int family = word(m, 0);
        if (family < 0 || family > 0xffff) {
            family = Integer.reverseBytes(family);
        }
        return family == 2 || family == 10 || family == 24 || family == 28 || family == 30
                ? ip(m, 4, end, frameEnd)
                : Outcome.NOT_IP;
    }

    /** Skips VLAN tags (802.1Q, QinQ) and PPPoE. */
    private Outcome tagged(byte[] m, int firstType, int offset, int end, int frameEnd) {
        int type = firstType;
        int at = offset;
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

    private Outcome ip(byte[] m, int at, int end, int frameEnd) {
        if (end - at < 1) {
            return Outcome.CUT;
        }
        int version = m[at] >> 4 & 0xf;
        return version == 4
                ? ipv4(m, at, end, frameEnd)
                : version == 6 ? ipv6(m, at, end, frameEnd) : Outcome.MALFORMED;
    }

    private Outcome ipv4(byte[] m, int at, int end, int frameEnd) {
        if (end - at < 20) {
            return Outcome.CUT;
        }
        int header = (m[at] & 0xf) * 4;
        int total = ushort(m, at + 2);
        if (total == 0) {
            // Segmentation offload: the network card would have written the length.
            total = frameEnd - at;
        }
        if (header < 20 || total < header) {
            return Outcome.MALFORMED;
        }
        if ((ushort(m, at + 6) & 0x1fff) != 0) {
            return m[at + 9] == PROTOCOL_TCP ? Outcome.LATER_FRAGMENT : Outcome.NOT_TCP;
        }
        if (m[at + 9] != PROTOCOL_TCP) {
            return Outcome.NOT_TCP;
        }
        segment.identification = ushort(m, at + 4);
        segment.sourceHigh = 0;
        segment.sourceLow = MAPPED_IPV4 | Integer.toUnsignedLong(word(m, at + 12));
        segment.targetHigh = 0;
        segment.targetLow = MAPPED_IPV4 | Integer.toUnsignedLong(word(m, at + 16));
        return tcp(m, at, at + header, at + total, end);
    }

    private Outcome ipv6(byte[] m, int at, int end, int frameEnd) {
        if (end - at < 40) {
            return Outcome.CUT;
        }
        int payload = ushort(m, at + 4);
        int packetEnd = payload == 0 ? frameEnd : at + 40 + payload;
        int next = m[at + 6] & 0xff;
        int header = at + 40;
        for (int extensions = 0; next != PROTOCOL_TCP; extensions++) {
            boolean fragment = next == 44;
            if ((!fragment && next != 0 && next != 43 && next != 51 && next != 60)
                    || extensions == MOST_EXTENSIONS) {
                return Outcome.NOT_TCP;
            }
            if (end - header < 8) {
                return Outcome.CUT;
            }
            if (fragment && (ushort(m, header + 2) & 0xfff8) != 0) {
                return Outcome.LATER_FRAGMENT;
            }
            int size = m[header + 1] & 0xff;
            int length = fragment ? 8 : next == 51 ? (size + 2) * 4 : (size + 1) * 8;
            next = m[header] & 0xff;
            header += length;
            if (header > packetEnd) {
                return Outcome.MALFORMED;
            }
        }
        segment.identification = 0;
        segment.sourceHigh = (long) word(m, at + 8) << 32 | (word(m, at + 8 + 4) & 0xffff_ffffL);
        segment.sourceLow = (long) word(m, at + 16) << 32 | (word(m, at + 16 + 4) & 0xffff_ffffL);
        segment.targetHigh = (long) word(m, at + 24) << 32 | (word(m, at + 24 + 4) & 0xffff_ffffL);
        segment.targetLow = (long) word(m, at + 32) << 32 | (word(m, at + 32 + 4) & 0xffff_ffffL);
        return tcp(m, at, header, packetEnd, end);
    }

    /**
     * Decodes the TCP header.
     *
     * @param packetEnd end of the IP packet on the wire, before any padding of the frame
     */
    private Outcome tcp(byte[] m, int ipStart, int at, int packetEnd, int end) {
        if (end - at < 20) {
            return packetEnd - at < 20 ? Outcome.MALFORMED : Outcome.CUT;
        }
        int header = (m[at + 12] >> 4 & 0xf) * 4;
        int payload = packetEnd - at - header;
        if (header < 20 || payload < 0) {
            return Outcome.MALFORMED;
        }
        if (at + header > end && end < captured) {
            return Outcome.CUT;
        }
        TcpSegment s = segment;
        s.sourcePort = ushort(m, at);
        s.targetPort = ushort(m, at + 2);
        s.sequence = word(m, at + 4);
        s.acknowledgement = word(m, at + 8);
        s.flags = m[at + 13] & 0xff;
        s.window = ushort(m, at + 14);
        s.ipLength = packetEnd - ipStart;
        s.payloadLength = payload;
        s.payloadOffset = frameOffset + at + header;
        s.payloadCaptured = Math.clamp(captured - at - header, 0, payload);
        s.windowScale = s.has(TcpSegment.SYN)
                ? windowScale(m, at + 20, Math.min(at + header, end))
                : TcpSegment.NO_SCALE;
        return Outcome.TCP;
    }

    /** Returns the window scale (RFC 7323 2.2: kind 3, length 3, shift). */
    private static int windowScale(byte[] m, int first, int end) {
        int at = first;
        while (at < end) {
            int kind = m[at];
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
            int length = m[at + 1] & 0xff;
            if (length < 2 || at + length > end) {
                break;
            }
            if (kind == 3 && length == 3) {
                return Math.min(m[at + 2] & 0xff, 14);
            }
            at += length;
        }
        return TcpSegment.NO_SCALE;
    }

    private static int ushort(byte[] m, int at) {
        return (m[at] & 0xff) << 8 | (m[at + 1] & 0xff);
    }

    private static int word(byte[] m, int at) {
        return ushort(m, at) << 16 | ushort(m, at + 2);
    }
}
