package dev.komainu.agent.evidence;

import dev.komainu.agent.packet.LinkType;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * Writer of frames as pcap records (microseconds) with an Ethernet header, also where the link has
 * another one. So one file can contain packets of loopback, {@code any} and a network card.
 *
 * <pre>
 *  file    0 magic a1b2c3d4   4 version 2.4   8 zeros   16 snaplen   20 link type 1 (Ethernet)     24 bytes
 *  record  0 seconds   4 microseconds   8 bytes kept   12 bytes on the wire                        16 bytes
 *          then the frame: 6 target   6 source   2 type   IP …
 * </pre>
 *
 * Of a cooked link ({@code any}) the sender's address and the type are copied; a link without
 * addresses gets zeros.
 */
final class EthernetPcapWriter {

    static final int FILE_HEADER = 24;
    static final int RECORD_HEADER = 16;
    /** Bytes that a disk writes as a whole or not at all. */
    static final int SECTOR = 512;

    static final int MAGIC = 0xa1b2c3d4;

    private static final ValueLayout.OfInt INT =
            ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfShort SHORT =
            ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    private static final ValueLayout.OfShort LITTLE =
            ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final int ETHERNET = 14;
    private static final int SNAPLEN = 262_144;

    private EthernetPcapWriter() {}

    static void header(MemorySegment to, long at) {
        to.set(INT, at, MAGIC);
        to.set(LITTLE, at + 4, (short) 2);
        to.set(LITTLE, at + 6, (short) 4);
        to.set(INT, at + 8, 0);
        to.set(INT, at + 12, 0);
        to.set(INT, at + 16, SNAPLEN);
        to.set(INT, at + 20, 1);
    }

    /** Reports whether a loss of power left zeros in the place of the header. */
    static boolean isLost(MemorySegment from) {
        return from.asSlice(0, FILE_HEADER).mismatch(MemorySegment.ofArray(new byte[FILE_HEADER]))
                < 0;
    }

    /**
     * Returns the offset of the first sector that holds only zeros; the size when there is none.
     */
    static long sound(MemorySegment from) {
        MemorySegment zeros = MemorySegment.ofArray(new byte[SECTOR]);
        long size = from.byteSize();
        for (long at = 0; at < size; at += SECTOR) {
            long length = Math.min(SECTOR, size - at);
            if (MemorySegment.mismatch(from, at, at + length, zeros, 0, length) < 0) {
                return at;
            }
        }
        return size;
    }

    static boolean isHeader(MemorySegment from) {
        return from.get(INT, 0) == MAGIC && from.get(INT, 20) == 1;
    }

    /**
     * Returns the bytes of the frame kept by the record at {@code at}, or -1 when the bytes there
     * cannot be a record.
     */
    static long kept(MemorySegment from, long at) {
        long kept = Integer.toUnsignedLong(from.get(INT, at + 8));
        return kept < ETHERNET
                        || kept > SNAPLEN
                        || from.get(INT, at + 4) < 0
                        || from.get(INT, at + 4) >= 1_000_000
                ? -1
                : kept;
    }

    /**
     * Returns the bytes before the IP header, or before its VLAN tags; -1 for an unsupported link.
     */
    private static int linkBytes(LinkType link) {
        return switch (link) {
            case ETHERNET -> ETHERNET;
            case LINUX_SLL -> 16;
            case LINUX_SLL2 -> 20;
            case NULL, LOOP -> 4;
            case RAW -> 0;
            case OTHER -> -1;
        };
    }

    /**
     * Returns the largest number of bytes that {@link #record} writes for a frame with {@code kept}
     * bytes kept.
     */
    static int most(int kept) {
        return RECORD_HEADER + ETHERNET + kept;
    }

    /**
     * Writes one record; returns the bytes written, 0 when the frame cannot be used.
     *
     * @param kept bytes of the frame to keep, at most as many as may be read from {@code offset}
     * @param length bytes the frame had on the wire
     */
    static int record(
            MemorySegment to,
            long at,
            long micros,
            LinkType link,
            MemorySegment memory,
            long offset,
            int kept,
            int length) {
        int before = linkBytes(link);
        if (before < 0 || kept <= before) {
            return 0;
        }
        long frame = at + RECORD_HEADER;
        int inner = kept - before;
        if (link == LinkType.ETHERNET) {
            MemorySegment.copy(memory, offset, to, frame, ETHERNET);
        } else {
            to.asSlice(frame, ETHERNET).fill((byte) 0);
            switch (link) {
                case LINUX_SLL -> {
                    MemorySegment.copy(memory, offset + 6, to, frame + 6, 6);
                    MemorySegment.copy(memory, offset + 14, to, frame + 12, 2);
                }
                case LINUX_SLL2 -> {
                    MemorySegment.copy(memory, offset + 12, to, frame + 6, 6);
                    MemorySegment.copy(memory, offset, to, frame + 12, 2);
                }
                default -> {
                    boolean six =
                            (memory.get(ValueLayout.JAVA_BYTE, offset + before) & 0xf0) == 0x60;
                    to.set(SHORT, frame + 12, (short) (six ? 0x86dd : 0x0800));
                }
            }
        }
        MemorySegment.copy(memory, offset + before, to, frame + ETHERNET, inner);
        to.set(INT, at, (int) Math.floorDiv(micros, 1_000_000L));
        to.set(INT, at + 4, (int) Math.floorMod(micros, 1_000_000L));
        to.set(INT, at + 8, ETHERNET + inner);
        to.set(INT, at + 12, Math.max(ETHERNET + inner, length - before + ETHERNET));
        return RECORD_HEADER + ETHERNET + inner;
    }
}
