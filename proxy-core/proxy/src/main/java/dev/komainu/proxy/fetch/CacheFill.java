package dev.komainu.proxy.fetch;

import dev.komainu.intermediary.caching.ByteRange;
import dev.komainu.intermediary.caching.Freshness;
import dev.komainu.intermediary.caching.Representation;
import io.netty.buffer.ByteBuf;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * An object that is being written to the cache, readable while it arrives.
 *
 * <pre>
 *   runs:   |  run 0  |  run 1  |  run 2 ··|      bytes below {@code filled} never change
 *           ^ first          ^ first + filled
 * </pre>
 *
 * Runs that are full from the beginning contain bytes that are stored already. Those before the
 * first run that is not full are readable at once; the later ones become readable when all bytes
 * before them have arrived.
 *
 * <p>One loop writes, any loop reads: bytes are written before {@code filled} is, and read after it
 * is. Each reader retains a reference; the runs live until the last reader releases them, even if
 * the cache evicts the object before.
 */
public final class CacheFill implements Representation {

    /** The progress of a fill. */
    public enum State {
        FILLING,
        COMPLETE,
        BROKEN
    }

    private final int status;
    // Set before the first read.
    private int fetchedStatus;
    private final byte[] head;
    private final byte[] leaderHead;
    private final long length;
    private final Freshness freshness;
    private final @Nullable String etag;
    private final @Nullable String lastModified;
    private final @Nullable ByteRange part;
    /** The position in the object of the first byte of this fill. */
    private final long first;

    private final AtomicInteger references = new AtomicInteger(1);
    private volatile ByteBuf[] runs;
    private volatile long filled;
    private volatile State state = State.FILLING;

    /**
     * Creates a fill.
     *
     * @param leaderHead the head for the leader, with fields that no other client receives
     * @param length the body bytes of the whole; -1 when the origin did not report it
     * @param part the part that arrives here; null for the whole
     */
    CacheFill(
            int status,
            byte[] head,
            byte[] leaderHead,
            long length,
            Freshness freshness,
            @Nullable String etag,
            @Nullable String lastModified,
            @Nullable ByteRange part,
            ByteBuf[] runs) {
        this.status = status;
        this.fetchedStatus = status;
        this.head = head;
        this.leaderHead = leaderHead;
        this.length = length;
        this.freshness = freshness;
        this.etag = etag;
        this.lastModified = lastModified;
        this.part = part;
        this.first = part == null ? 0 : part.from();
        this.runs = runs;
        this.filled = contiguousBytes();
    }

    /** Returns the bytes before the first run that is not full, and those of that run. */
    private long contiguousBytes() {
        long bytes = 0;
        for (ByteBuf run : runs) {
            bytes += run.writerIndex();
            if (run.isWritable()) {
                return bytes;
            }
        }
        return bytes;
    }

    /**
     * Copies bytes into the free room of the runs; the rest of {@code slice} stays readable. Writer
     * only.
     */
    void write(ByteBuf slice) {
        for (ByteBuf run : runs) {
            int count = Math.min(run.writableBytes(), slice.readableBytes());
            if (count > 0) {
                run.writeBytes(slice, count);
            }
        }
        filled = contiguousBytes();
    }

    /** Writer only. */
    void addRun(ByteBuf run) {
        ByteBuf[] before = runs;
        ByteBuf[] after = Arrays.copyOf(before, before.length + 1);
        after[before.length] = run;
        runs = after;
    }

    void conclude(State outcome) {
        state = outcome;
    }

    ByteBuf[] runs() {
        return runs;
    }

    /** Reports whether every run is full. Writer only. */
    boolean isFull() {
        for (ByteBuf run : runs) {
            if (run.isWritable()) {
                return false;
            }
        }
        return true;
    }

    /** Returns views of all runs; each retains a reference. */
    ByteBuf[] retainRuns() {
        ByteBuf[] views = new ByteBuf[runs.length];
        for (int i = 0; i < views.length; i++) {
            views[i] = runs[i].retainedDuplicate();
        }
        return views;
    }

    void retain() {
        references.incrementAndGet();
    }

    public void release() {
        if (references.decrementAndGet() == 0) {
            for (ByteBuf run : runs) {
                run.release();
            }
        }
    }

    /**
     * Returns a view of the bytes at {@code position}: at most {@code most} bytes and at most to
     * the end of their run; null when none has arrived yet.
     */
    public @Nullable ByteBuf view(long position, long most) {
        long end = Math.min(
                first + filled,
                most > Long.MAX_VALUE - position ? Long.MAX_VALUE : position + most);
        if (position >= end || position < first) {
            return null;
        }
        long from = first;
        for (ByteBuf run : runs) {
            long to = from + run.capacity();
            if (position < to) {
                return run.retainedSlice(
                        (int) (position - from), (int) (Math.min(end, to) - position));
            }
            from = to;
        }
        throw new IllegalStateException("position " + position + " of " + end);
    }

    /** Returns the status of the origin's response: 206 where a gap was filled. */
    public int fetchedStatus() {
        return fetchedStatus;
    }

    void fetchedAs(int originStatus) {
        fetchedStatus = originStatus;
    }

    /** Returns the part of the object that arrives here; null for the whole. */
    public @Nullable ByteRange part() {
        return part;
    }

    /** Returns the number of bytes of the object that can be read now. */
    public long filled() {
        return filled;
    }

    /** Returns the state. Must be read before {@link #filled}: a complete fill does not grow. */
    public State state() {
        return state;
    }

    @Override
    public int status() {
        return status;
    }

    /** Returns the head, without Content-Length when {@link #bodyLength} is -1. */
    @Override
    public byte[] head() {
        return head;
    }

    /** Returns the head for the leader, with fields that are not stored. */
    public byte[] leaderHead() {
        return leaderHead;
    }

    @Override
    public long bodyLength() {
        return length;
    }

    @Override
    public @Nullable String etag() {
        return etag;
    }

    @Override
    public @Nullable String lastModified() {
        return lastModified;
    }

    @Override
    public Freshness freshness() {
        return freshness;
    }
}
