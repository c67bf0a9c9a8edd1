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
 * What is held of an object of which only parts were fetched (RFC 9111 sections 3.3 and 3.4).
 *
 * <pre>
 *   object:  0 ─────────────────────────────────────── length
 *   parts:        | run | run |        | run |           in order, never overlapping
 * </pre>
 *
 * The head is encoded as that of the whole, a 200 with the whole's length, so ranges are cut from
 * it as from any other. Immutable except for the parts' reference counts, as {@link StoredResponse}
 * is.
 */
public final class StoredParts extends StoredRepresentation {

    /** Parts beyond this are more trouble than they are worth: the newest alone is kept then. */
    static final int MOST = 1024;
    /** Heap for each part: its record, its view. */
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
     * Takes over one reference of the head and of each part's run.
     *
     * @param length bytes of the whole object
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
     * The first to the last byte that is missing of {@code from} to {@code to}, inclusive; absent
     * when all is held.
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

    public boolean holds(long from, long count) {
        return count == 0 || gap(from, from + count - 1) == null;
    }

    /**
     * Views of {@code count} held bytes, each to be released once; absent when they are gone, or
     * not all were held.
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
        } catch (IllegalReferenceCountException gone) {
            next = -1;
        }
        if (next != end) {
            views.forEach(ByteBuf::release);
            return null;
        }
        return views.toArray(ByteBuf[]::new);
    }

    /**
     * Strong comparison (RFC 9110 section 8.8.3.2): only equal strong validators say that bytes are
     * of one object.
     */
    public static boolean sameObject(@Nullable String one, @Nullable String other) {
        return one != null && one.startsWith("\"") && one.equals(other);
    }

    /**
     * These parts and, where these have none, those of {@code before} (RFC 9111 section 3.4), under
     * this newer head; the whole, when nothing is missing. Takes references of its own.
     *
     * @param mostBytes largest object that may be kept; beyond it the newer parts stay alone
     * @return this when they are not to be combined
     */
    public StoredRepresentation combinedWith(StoredParts before, long mostBytes) {
        if (!sameObject(etag(), before.etag()) || length != before.length) {
            return this;
        }
        List<Part> all = new ArrayList<>();
        long next = 0;
        for (Part mine : parts) {
            before.copy(all, next, mine.from());
            all.add(new Part(mine.from(), mine.run().retainedDuplicate()));
            next = mine.end();
        }
        before.copy(all, next, length);
        long bytes = 0;
        long held = 0;
        for (Part part : all) {
            bytes += BodyMemory.charged(part.run());
            held += part.run().readableBytes();
        }
        if (bytes > mostBytes || all.size() > MOST) {
            all.forEach(part -> part.run().release());
            return this;
        }
        // What may be dropped by either's names is dropped by them: the newer answer may have left
        // some out.
        List<String> labels = Stream.concat(before.labels().stream(), labels().stream())
                .distinct()
                .toList();
        if (held == length) {
            ByteBuf[] runs = all.stream().map(Part::run).toArray(ByteBuf[]::new);
            return new StoredResponse(key(), 200, texts().again(), runs, freshness(), labels);
        }
        return new StoredParts(key(), texts().again(), length, all, freshness(), labels);
    }

    /** Adds what is held of {@code from} to {@code end}, exclusive. */
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
        texts().letGo();
    }

    /** That of the whole. */
    @Override
    public int status() {
        return 200;
    }

    /** The whole's. */
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
