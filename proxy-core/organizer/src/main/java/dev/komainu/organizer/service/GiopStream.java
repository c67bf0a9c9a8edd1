package dev.komainu.organizer.service;

import dev.komainu.organizer.service.ObjectReferences.Rewritten;
import dev.komainu.organizer.service.ServedAddresses.HostPort;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * One direction of a GIOP connection: messages are gathered, those in fragments (CORBA 3.3 part 2,
 * section 9.4.9) too, and come out with other addresses in their references. What is longer than
 * {@link #LONGEST}, of GIOP 1.1 and in fragments, or no GIOP at all, comes out as it went in.
 *
 * <pre>
 *  "GIOP" | major | minor | flags: 1 little endian, 2 fragments follow | type | length of the rest
 * </pre>
 */
final class GiopStream {

    static final int LONGEST = 1 << 20;

    private static final int HEADER = 12;
    private static final int FRAGMENT = 7;
    private static final byte MORE = 2;

    private final Function<HostPort, @Nullable HostPort> anew;
    private final ServiceCounts counts;
    private byte[] held = new byte[HEADER];
    private int has;
    private long raw;
    private boolean foreign;
    private final Map<Integer, Gathering> gathered = new HashMap<>();
    private int gatheredBytes;

    /** A message of which not all fragments came. */
    private static final class Gathering {
        private final List<byte[]> parts = new ArrayList<>();
        private int bytes;
        /** It became too long: what still comes passes. */
        private boolean given;
    }

    GiopStream(Function<HostPort, @Nullable HostPort> anew, ServiceCounts counts) {
        this.anew = anew;
        this.counts = counts;
    }

    /** @param in read to its end @return what goes on; may be empty */
    ByteBuf pass(ByteBuf in, ByteBufAllocator from) {
        ByteBuf out = from.buffer(in.readableBytes() + 64);
        while (in.isReadable()) {
            if (foreign || raw > 0) {
                int now = foreign ? in.readableBytes() : (int) Math.min(raw, in.readableBytes());
                out.writeBytes(in, now);
                raw -= foreign ? 0 : now;
                continue;
            }
            int wanted = has < HEADER ? HEADER : held.length;
            int now = Math.min(wanted - has, in.readableBytes());
            in.readBytes(held, has, now);
            has += now;
            if (!isGiop()) {
                foreign = true;
                counts.count(ServiceCounts.Kind.UNREAD_MESSAGES);
                rest(out);
            } else if (has == HEADER && now > 0 && held.length == HEADER) {
                header(out);
            } else if (has == held.length) {
                message(out);
            }
        }
        return out;
    }

    private boolean isGiop() {
        byte[] magic = {'G', 'I', 'O', 'P', 1};
        for (int i = 0; i < Math.min(has, magic.length); i++) {
            if (held[i] != magic[i]) {
                return false;
            }
        }
        return true;
    }

    private void rest(ByteBuf out) {
        out.writeBytes(held, 0, has);
        reset();
    }

    private void reset() {
        held = new byte[HEADER];
        has = 0;
    }

    private void header(ByteBuf out) {
        long length =
                ByteBuffer.wrap(held).order(ObjectReferences.order(held[6])).getInt(8)
                        & 0xffff_ffffL;
        boolean inPieces = (held[6] & MORE) != 0 || held[7] == FRAGMENT;
        if (length > LONGEST || inPieces && held[5] < 2 || inPieces && length < 4) {
            counts.count(ServiceCounts.Kind.UNREAD_MESSAGES);
            // Whose fragment it is stands behind the header: nothing that is gathered may be
            // overtaken by it.
            gathered.values().forEach(one -> give(one, out));
            raw = length;
            rest(out);
            return;
        }
        if (length == 0) {
            message(out);
            return;
        }
        byte[] whole = new byte[HEADER + (int) length];
        System.arraycopy(held, 0, whole, 0, HEADER);
        held = whole;
    }

    private void message(ByteBuf out) {
        byte[] whole = held;
        reset();
        boolean more = (whole[6] & MORE) != 0;
        if (!more && whole[7] != FRAGMENT) {
            Rewritten made = ObjectReferences.rewrite(whole, anew);
            counts.add(ServiceCounts.Kind.REFERENCES, made.written());
            out.writeBytes(made.bytes());
            return;
        }
        int id = ByteBuffer.wrap(whole).order(ObjectReferences.order(whole[6])).getInt(HEADER);
        Gathering known = gathered.get(id);
        if (known == null) {
            if (whole[7] == FRAGMENT) {
                out.writeBytes(whole);
                return;
            }
            known = new Gathering();
            gathered.put(id, known);
        }
        if (known.given) {
            out.writeBytes(whole);
        } else {
            known.parts.add(whole);
            known.bytes += whole.length;
            gatheredBytes += whole.length;
            if (gatheredBytes > LONGEST) {
                counts.count(ServiceCounts.Kind.UNREAD_MESSAGES);
                give(known, out);
            }
        }
        if (!more) {
            gathered.remove(id);
            if (!known.given) {
                gatheredBytes -= known.bytes;
                joined(known, out);
            }
        }
    }

    /** As it came; what is still to come of it passes. */
    private void give(Gathering one, ByteBuf out) {
        one.parts.forEach(out::writeBytes);
        one.parts.clear();
        gatheredBytes -= one.bytes;
        one.bytes = 0;
        one.given = true;
    }

    /**
     * All fragments are there: their bodies, behind each other, are aligned as if they had been one
     * (section 9.4.9).
     */
    private void joined(Gathering all, ByteBuf out) {
        int size = all.bytes - (all.parts.size() - 1) * (HEADER + 4);
        ByteBuffer whole = ByteBuffer.allocate(size);
        for (int i = 0; i < all.parts.size(); i++) {
            int skip = i == 0 ? 0 : HEADER + 4;
            whole.put(all.parts.get(i), skip, all.parts.get(i).length - skip);
        }
        byte[] joined = whole.array();
        joined[6] &= ~MORE;
        whole.order(ObjectReferences.order(joined[6])).putInt(8, size - HEADER);
        Rewritten made = ObjectReferences.rewrite(joined, anew);
        counts.add(ServiceCounts.Kind.REFERENCES, made.written());
        if (made.written() > 0) {
            out.writeBytes(made.bytes());
        } else {
            all.parts.forEach(out::writeBytes);
        }
    }
}
