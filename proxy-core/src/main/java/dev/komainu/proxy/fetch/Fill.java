package dev.komainu.proxy.fetch;

import dev.komainu.proxy.cache.Freshness;
import io.netty.buffer.ByteBuf;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * An object on its way into the cache, readable while it arrives.
 *
 * <pre>
 *   runs:   |  run 0  |  run 1  |  run 2 ··|      bytes below {@code filled} never change
 *                            ^ filled
 * </pre>
 *
 * One loop writes, any loop reads: bytes are written before {@code filled} is, and read after it is. Whoever reads holds
 * a reference; the runs live until the last reader lets go, whatever the cache decides meanwhile.
 */
public final class Fill {

    /** How far it is. */
    public enum State {
        FILLING,
        COMPLETE,
        BROKEN
    }

    private final int status;
    private final byte[] head;
    private final byte[] leaderHead;
    private final long length;
    private final Freshness freshness;
    private final @Nullable String etag;
    private final @Nullable String lastModified;
    private final AtomicInteger references = new AtomicInteger(1);
    private volatile ByteBuf[] runs;
    private volatile long filled;
    private volatile State state = State.FILLING;

    /**
     * @param leaderHead the head for the one who asked: with fields that are nobody else's
     * @param length body bytes, -1 when the origin did not say
     */
    Fill(
            int status,
            byte[] head,
            byte[] leaderHead,
            long length,
            Freshness freshness,
            @Nullable String etag,
            @Nullable String lastModified,
            ByteBuf[] runs) {
        this.status = status;
        this.head = head;
        this.leaderHead = leaderHead;
        this.length = length;
        this.freshness = freshness;
        this.etag = etag;
        this.lastModified = lastModified;
        this.runs = runs;
    }

    /** Copies what fits into the runs there are; the rest of {@code slice} stays readable. Writer only. */
    void write(ByteBuf slice) {
        long added = 0;
        for (ByteBuf run : runs) {
            int count = Math.min(run.capacity() - run.writerIndex(), slice.readableBytes());
            if (count > 0) {
                run.writeBytes(slice, count);
                added += count;
            }
        }
        filled += added;
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

    /** A view of what lies at {@code position}, at most to the end of its run; absent when nothing is there yet. */
    public @Nullable ByteBuf view(long position) {
        long end = filled;
        if (position >= end) {
            return null;
        }
        long from = 0;
        for (ByteBuf run : runs) {
            long to = from + run.capacity();
            if (position < to) {
                return run.retainedSlice((int) (position - from), (int) (Math.min(end, to) - position));
            }
            from = to;
        }
        throw new IllegalStateException("position " + position + " of " + end);
    }

    public long filled() {
        return filled;
    }

    /** Read before {@link #filled}: a complete fill grows no more. */
    public State state() {
        return state;
    }

    public int status() {
        return status;
    }

    /** Encoded head as in a stored response; without Content-Length when {@link #length} is -1. */
    public byte[] head() {
        return head;
    }

    /** The same for the leader, who alone gets fields that are not stored. */
    public byte[] leaderHead() {
        return leaderHead;
    }

    public long length() {
        return length;
    }

    public @Nullable String etag() {
        return etag;
    }

    public @Nullable String lastModified() {
        return lastModified;
    }

    public Freshness freshness() {
        return freshness;
    }
}
