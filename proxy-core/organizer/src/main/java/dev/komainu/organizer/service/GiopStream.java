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
 * One direction of a GIOP connection. Messages are aggregated, also those in fragments (CORBA 3.3
 * part 2, section 9.4.9), and the addresses in their object references are rewritten. A message
 * longer than {@link #MAX_MESSAGE}, a fragmented one of GIOP 1.1, and a stream that is not GIOP are
 * passed unchanged.
 *
 * <pre>
 * "GIOP" | major | minor | flags: 1 little endian, 2 fragments follow | type | length of the rest
 * </pre>
 */
final class GiopStream {

    static final int MAX_MESSAGE = 1 << 20;

    private static final int HEADER = 12;
    private static final int FRAGMENT = 7;
    private static final byte MORE = 2;

    private final Function<HostPort, @Nullable HostPort> rewriter;
    private final ServiceCounts counts;
    private byte[] buffered = new byte[HEADER];
    private int filled;
    private long rawBytes;
    private boolean foreign;
    private final Map<Integer, Fragments> fragmented = new HashMap<>();
    private int fragmentedBytes;

    /** A message with outstanding fragments. */
    private static final class Fragments {
        private final List<byte[]> parts = new ArrayList<>();
        private int bytes;
        /** Whether the message became too long: its further fragments are passed unchanged. */
        private boolean passedThrough;
    }

    GiopStream(Function<HostPort, @Nullable HostPort> rewriter, ServiceCounts counts) {
        this.rewriter = rewriter;
        this.counts = counts;
    }

    /**
     * Processes bytes of the stream.
     *
     * @param in read to its end
     * @return the bytes to send; may be empty
     */
    ByteBuf pass(ByteBuf in, ByteBufAllocator from) {
        ByteBuf out = from.buffer(in.readableBytes() + 64);
        while (in.isReadable()) {
            if (foreign || rawBytes > 0) {
                int count =
                        foreign ? in.readableBytes() : (int) Math.min(rawBytes, in.readableBytes());
                out.writeBytes(in, count);
                rawBytes -= foreign ? 0 : count;
                continue;
            }
            int needed = filled < HEADER ? HEADER : buffered.length;
            int count = Math.min(needed - filled, in.readableBytes());
            in.readBytes(buffered, filled, count);
            filled += count;
            if (!isGiop()) {
                foreign = true;
                counts.count(ServiceCounts.Kind.UNREAD_MESSAGES);
                passBuffered(out);
            } else if (filled == HEADER && count > 0 && buffered.length == HEADER) {
                header(out);
            } else if (filled == buffered.length) {
                message(out);
            }
        }
        return out;
    }

    private boolean isGiop() {
        byte[] magic = {'G', 'I', 'O', 'P', 1};
        for (int i = 0; i < Math.min(filled, magic.length); i++) {
            if (buffered[i] != magic[i]) {
                return false;
            }
        }
        return true;
    }

    private void passBuffered(ByteBuf out) {
        out.writeBytes(buffered, 0, filled);
        reset();
    }

    private void reset() {
        buffered = new byte[HEADER];
        filled = 0;
    }

    private void header(ByteBuf out) {
        long length = ByteBuffer.wrap(buffered)
                        .order(ObjectReferences.order(buffered[6]))
                        .getInt(8)
                & 0xffff_ffffL;
        boolean inPieces = (buffered[6] & MORE) != 0 || buffered[7] == FRAGMENT;
        if (length > MAX_MESSAGE || (inPieces && buffered[5] < 2) || (inPieces && length < 4)) {
            counts.count(ServiceCounts.Kind.UNREAD_MESSAGES);
            // The header does not identify the message of the fragment, so all aggregated messages
            // are sent before it.
            fragmented.values().forEach(fragments -> passThrough(fragments, out));
            rawBytes = length;
            passBuffered(out);
            return;
        }
        if (length == 0) {
            message(out);
            return;
        }
        byte[] complete = new byte[HEADER + (int) length];
        System.arraycopy(buffered, 0, complete, 0, HEADER);
        buffered = complete;
    }

    private void message(ByteBuf out) {
        byte[] complete = buffered;
        reset();
        boolean more = (complete[6] & MORE) != 0;
        if (!more && complete[7] != FRAGMENT) {
            Rewritten rewritten = ObjectReferences.rewrite(complete, rewriter);
            counts.add(ServiceCounts.Kind.REFERENCES, rewritten.written());
            out.writeBytes(rewritten.bytes());
            return;
        }
        int id = ByteBuffer.wrap(complete)
                .order(ObjectReferences.order(complete[6]))
                .getInt(HEADER);
        Fragments fragments = fragmented.get(id);
        if (fragments == null) {
            if (complete[7] == FRAGMENT) {
                out.writeBytes(complete);
                return;
            }
            fragments = new Fragments();
            fragmented.put(id, fragments);
        }
        if (fragments.passedThrough) {
            out.writeBytes(complete);
        } else {
            fragments.parts.add(complete);
            fragments.bytes += complete.length;
            fragmentedBytes += complete.length;
            if (fragmentedBytes > MAX_MESSAGE) {
                counts.count(ServiceCounts.Kind.UNREAD_MESSAGES);
                passThrough(fragments, out);
            }
        }
        if (!more) {
            fragmented.remove(id);
            if (!fragments.passedThrough) {
                fragmentedBytes -= fragments.bytes;
                completed(fragments, out);
            }
        }
    }

    /** Sends the fragments unchanged; so are its further fragments. */
    private void passThrough(Fragments fragments, ByteBuf out) {
        fragments.parts.forEach(out::writeBytes);
        fragments.parts.clear();
        fragmentedBytes -= fragments.bytes;
        fragments.bytes = 0;
        fragments.passedThrough = true;
    }

    /**
     * Processes a complete message. The concatenated bodies of its fragments are aligned like one
     * message (section 9.4.9).
     */
    private void completed(Fragments fragments, ByteBuf out) {
        int size = fragments.bytes - (fragments.parts.size() - 1) * (HEADER + 4);
        ByteBuffer complete = ByteBuffer.allocate(size);
        for (int i = 0; i < fragments.parts.size(); i++) {
            int skip = i == 0 ? 0 : HEADER + 4;
            complete.put(fragments.parts.get(i), skip, fragments.parts.get(i).length - skip);
        }
        byte[] joined = complete.array();
        joined[6] &= ~MORE;
        complete.order(ObjectReferences.order(joined[6])).putInt(8, size - HEADER);
        Rewritten rewritten = ObjectReferences.rewrite(joined, rewriter);
        counts.add(ServiceCounts.Kind.REFERENCES, rewritten.written());
        if (rewritten.written() > 0) {
            out.writeBytes(rewritten.bytes());
        } else {
            fragments.parts.forEach(out::writeBytes);
        }
    }
}
