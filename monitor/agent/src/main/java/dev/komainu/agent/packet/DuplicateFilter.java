package dev.komainu.agent.packet;

/**
 * Filter of duplicates: a packet that is seen again at another interface of the same host, or that
 * was mirrored twice. A packet that passes a container's link, a bridge and a network card is one
 * packet, not a retransmission.
 *
 * <p>The rule. A segment is a duplicate when its addresses, ports, sequence and acknowledgement
 * number, flags, window, payload length and IPv4 identification equal those of one at most
 * {@value #WITHIN_MICROS} µs away, and it comes
 *
 * <ul>
 *   <li>from another interface; or
 *   <li>from the same one, with an IPv4 identification that is not zero, or with SYN: no sender
 *       repeats a SYN so soon, and a retransmission has an identification of its own.
 * </ul>
 *
 * <p>Its limits: IPv6 has no identification. So at a mirror port that shows every packet twice
 * (both directions of both ports), IPv6 duplicates cannot be separated from retransmissions. A
 * packet that was split or merged on its way (segmentation offload on one of the interfaces only),
 * or whose addresses were rewritten (NAT), is another packet. Each interface has its own ring, so
 * the sightings of one packet may arrive a tenth of a second apart, with all other packets between
 * them: {@value #PLACES} places cover that at 100,000 packets a second (of 20,000 between, about
 * three in a hundred are evicted). An evicted packet counts as new.
 *
 * <p>One multiplication chain and one cache line a packet; no allocation. The source's thread.
 */
public final class DuplicateFilter implements SegmentSink {

    static final int WITHIN_MICROS = 10_000;
    static final int PLACES = 1 << 16;
    /** Four places, a cache line of pairs. */
    private static final int LINE = 8;

    private static final int LINES = PLACES * 2 / LINE;

    private final SegmentSink next;
    /**
     * Pairs: a hash of the segment, and the time and interface of its sighting: micros << 16 (the
     * upper bits are lost) | interface.
     */
    private final long[] seen = new long[PLACES * 2];

    private volatile long count;

    public DuplicateFilter(SegmentSink next) {
        this.next = next;
    }

    /** Returns the segments left out so far. Any thread. */
    public long count() {
        return count;
    }

    @Override
    @SuppressWarnings("NonAtomicVolatileUpdate") // One thread writes.
    public void segment(TcpSegment s) {
        long fingerprint = mix(s);
        int line = (int) (fingerprint >>> 40) % LINES * LINE;
        for (int at = line; at < line + LINE; at += 2) {
            if (seen[at] == fingerprint && isSame(s, seen[at + 1])) {
                count++;
                return;
            }
        }
        // The newest pair goes to the front, the oldest is lost.
        System.arraycopy(seen, line, seen, line + 2, LINE - 2);
        seen[line] = fingerprint;
        seen[line + 1] = s.micros << 16 | (s.networkInterface & 0xffff);
        next.segment(s);
    }

    private static boolean isSame(TcpSegment s, long sighting) {
        return Math.abs(((s.micros << 16) - (sighting & ~0xffffL)) >> 16) <= WITHIN_MICROS
                && ((sighting & 0xffff) != (s.networkInterface & 0xffff)
                        || s.identification != 0
                        || s.has(TcpSegment.SYN));
    }

    private static long mix(TcpSegment s) {
        long h = step(s.sourceHigh ^ Long.rotateLeft(s.targetHigh, 17), s.sourceLow);
        h = step(h, s.targetLow);
        h = step(
                h,
                (long) s.sourcePort << 48
                        | (long) s.targetPort << 32
                        | (s.sequence & 0xffff_ffffL));
        h = step(h, (long) s.acknowledgement << 32 | (long) s.flags << 16 | s.window);
        return step(h, (long) s.payloadLength << 16 | s.identification);
    }

    private static long step(long h, long value) {
        long mixed = (h ^ value) * 0x9e3779b97f4a7c15L;
        return mixed ^ mixed >>> 29;
    }

    @Override
    public void idle(long micros) {
        next.idle(micros);
    }
}
