package dev.komainu.proxy.cache;

import dev.komainu.intermediary.caching.ByteRange;
import dev.komainu.intermediary.caching.CacheKey;
import dev.komainu.intermediary.caching.Freshness;
import dev.komainu.proxy.cache.memory.BodyMemory;
import io.netty.buffer.ByteBuf;
import io.netty.util.IllegalReferenceCountException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The stored parts of an object that was not fetched completely (RFC 9111 sections 3.3 and 3.4).
 *
 * <pre>
 *   object:  0 ─────────────────────────────────────── length
 *   parts:      | run | run |         | run |               in order, never overlapping
 * </pre>
 *
 * The head is encoded as that of the complete object, a 200 with the complete length, so ranges are
 * cut from it as from any other. Immutable except for the parts' reference counts, like
 * {@link StoredResponse}.
 */
public final class StoredParts extends StoredRepresentation {

    /** Limit of the parts of one object: beyond it only the newest part is kept. */
    static final int MAX_PARTS = 1024;
    /** Heap bytes of each part: its record and its view. */
    private static final int PART_OVERHEAD = 96;

    /** Bytes of the object from {@code from} on, in one run. */
    public record Part(long from, ByteBuf run) {

        long end() {
            return from + run.readableBytes();
        }
    }

    private final long length;
    private final List<Part> parts;
    private final int weight;

    /**
     * Creates a set of parts and takes over one reference of the head and of each part's run.
     *
     * @param length bytes of the complete object
     * @param parts in ascending order, not overlapping
     */
    public StoredParts(
            CacheKey key,
            StoredHead head,
            long length,
            List<Part> parts,
            Freshness freshness,
            List<String> labels) {
        super(key, head, freshness, labels);
        this.length = length;
        this.parts = List.copyOf(parts);
        long bytes = runBytes() + (long) PART_OVERHEAD * parts.size() + StoredResponse.RUN_OVERHEAD;
        this.weight =
                (int) Math.min(Integer.MAX_VALUE, bytes + StoredResponse.OVERHEAD + namesWeight());
    }

    /**
     * Returns the range from the first to the last missing byte of {@code from} to {@code to},
     * inclusive; null when all are stored.
     */
    public @Nullable ByteRange gap(long from, long to) {
        long first = from;
        long last = to;
        for (Part part : parts) {
            if (part.from() <= first && part.end() > first) {
                first = part.end();
            }
        }
        for (int i = parts.size() - 1; i >= 0; i--) {
            Part part = parts.get(i);
            if (part.from() <= last && part.end() > last) {
                last = part.from() - 1;
            }
        }
        return first > last ? null : new ByteRange(first, last);
    }

    /** Reports whether {@code count} bytes from {@code from} on are stored. */
    public boolean contains(long from, long count) {
        return count == 0 || gap(from, from + count - 1) == null;
    }

    /**
     * Returns views of {@code count} stored bytes, each to be released once; null when they no
     * longer exist or not all are stored.
     */
    public ByteBuf @Nullable [] retain(long from, long count) {
        List<ByteBuf> views = new ArrayList<>();
        long next = from;
        long end = from + count;
        try {
            for (Part part : parts) {
                if (next < end && part.from() <= next && part.end() > next) {
                    int skip = (int) (next - part.from());
                    int take = (int) (Math.min(end, part.end()) - next);
                    views.add(part.run().retainedSlice(part.run().readerIndex() + skip, take));
                    next += take;
                }
            }
        } catch (IllegalReferenceCountException released) {
            next = -1;
        }
        if (next != end) {
            views.forEach(ByteBuf::release);
            return null;
        }
        return views.toArray(ByteBuf[]::new);
    }

    /**
     * Reports whether two ETags match by strong comparison (RFC 9110 section 8.8.3.2): only equal
     * strong validators show that parts are of one object.
     */
    public static boolean sameObject(@Nullable String first, @Nullable String second) {
        return first != null && first.startsWith("\"") && first.equals(second);
    }

    /**
     * Combines these parts with those of {@code before} where these have none (RFC 9111 section
     * 3.4), under this newer head. The result is a complete response when nothing is missing.
     * Retains the runs.
     *
     * @param maxBytes limit of the stored object; beyond it the newer parts stay alone
     * @return this when they are not combined
     */
    public StoredRepresentation combinedWith(StoredParts before, long maxBytes) {
        if (!sameObject(etag(), before.etag()) || length != before.length) {
            return this;
        }
        List<Part> all = new ArrayList<>();
        long next = 0;
        for (Part part : parts) {
            before.copy(all, next, part.from());
            all.add(new Part(part.from(), part.run().retainedDuplicate()));
            next = part.end();
        }
        before.copy(all, next, length);
        long bytes = 0;
        long storedBytes = 0;
        for (Part part : all) {
            bytes += BodyMemory.charged(part.run());
            storedBytes += part.run().readableBytes();
        }
        if (bytes > maxBytes || all.size() > MAX_PARTS) {
            all.forEach(part -> part.run().release());
            return this;
        }
        // A purge by the labels of either applies to both: the newer response may have left some
        // out.
        List<String> labels = Stream.concat(before.labels().stream(), labels().stream())
                .distinct()
                .toList();
        if (storedBytes == length) {
            ByteBuf[] runs = all.stream().map(Part::run).toArray(ByteBuf[]::new);
            return new StoredResponse(key(), 200, texts().retained(), runs, freshness(), labels);
        }
        return new StoredParts(key(), texts().retained(), length, all, freshness(), labels);
    }

    /** Adds the stored parts of {@code from} to {@code end}, exclusive. */
    private void copy(List<Part> to, long from, long end) {
        for (Part part : parts) {
            long first = Math.max(from, part.from());
            long last = Math.min(end, part.end());
            if (first < last) {
                int skip = (int) (first - part.from());
                to.add(new Part(
                        first, part.run().retainedSlice(part.run().readerIndex() + skip, (int)
                                (last - first))));
            }
        }
    }

    @Override
    public void release() {
        parts.forEach(part -> part.run().release());
        texts().release();
    }

    /** Returns the status of the complete object. */
    @Override
    public int status() {
        return 200;
    }

    /** Returns the length of the complete object. */
    @Override
    public long bodyLength() {
        return length;
    }

    @Override
    public long runBytes() {
        long sum = texts().charged();
        for (Part part : parts) {
            sum += BodyMemory.charged(part.run());
        }
        return sum;
    }

    @Override
    public int weight() {
        return weight;
    }
}
