package dev.komainu.proxy.fetch;

import dev.komainu.intermediary.caching.ByteRange;
import dev.komainu.intermediary.caching.Freshness;
import dev.komainu.intermediary.caching.Representation;
import io.netty.buffer.ByteBuf;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * An object on its way into the cache, readable while it arrives.
 *
 * <pre>
 *   runs:   |  run 0  |  run 1  |  run 2 ··|      bytes below {@code filled} never change
 *           ^ first          ^ first + filled
 * </pre>
 *
 * Runs that are full from the beginning are bytes held already: those before the first that is not
 * are readable at once, those behind it when all before them are there.
 *
 * <p>One loop writes, any loop reads: bytes are written before {@code filled} is, and read after it
 * is. Whoever reads holds a reference; the runs live until the last reader lets go, whatever the
 * cache decides meanwhile.
 */
public final class CacheFill implements Representation {

    /** How far it is. */
    public enum State {
        FILLING,
        COMPLETE,
        BROKEN
    }

    private final int status;
    // Set before anybody reads.
    private int fetchedStatus;
    private final byte[] head;
    private final byte[] leaderHead;
    private final long length;
    private final Freshness freshness;
    private final @Nullable String etag;
    private final @Nullable String lastModified;
    private final @Nullable ByteRange part;
    /** Position in the object of the first byte here. */
    private final long first;

    private final AtomicInteger references = new AtomicInteger(1);
    private volatile ByteBuf[] runs;
    private volatile long filled;
    private volatile State state = State.FILLING;

    /**
     * @param leaderHead the head for the one who asked: with fields that are nobody else's
     * @param length body bytes of the whole, -1 when the origin did not say
     * @param part what of it arrives here; absent for the whole
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
        this.filled = held();
    }

    /** Bytes to the first run that is not full. */
    private long held() {
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
     * Copies what fits into the runs there are; the rest of {@code slice} stays readable. Writer
     * only.
     */
    void write(ByteBuf slice) {
        for (ByteBuf run : runs) {
            int count = Math.min(run.writableBytes(), slice.readableBytes());
            if (count > 0) {
                run.writeBytes(slice, count);
            }
        }
        filled = held();
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

    /** Whether every run is full. Writer only. */
    boolean isFull() {
        for (ByteBuf run : runs) {
            if (run.isWritable()) {
                return false;
            }
        }
        return true;
    }

    /** Views of all runs, with a reference each. */
    ByteBuf[] retainRuns() {
        ByteBuf[] own = new ByteBuf[runs.length];
        for (int i = 0; i < own.length; i++) {
            own[i] = runs[i].retainedDuplicate();
        }
        return own;
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
     * A view of what lies at {@code position}, at most {@code most} bytes and at most to the end of
     * its run; absent when nothing is there yet.
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

    /** What the origin answered with: 206 where a gap was filled. */
    public int fetchedStatus() {
        return fetchedStatus;
    }

    void fetchedAs(int originStatus) {
        fetchedStatus = originStatus;
    }

    /** What arrives here, when it is a part of the object only; absent when it is the whole. */
    public @Nullable ByteRange part() {
        return part;
    }

    /** Bytes of the object that can be read now. */
    public long filled() {
        return filled;
    }

    /** Read before {@link #filled}: a complete fill grows no more. */
    public State state() {
        return state;
    }

    @Override
    public int status() {
        return status;
    }

    /** Without Content-Length when {@link #bodyLength} is -1. */
    @Override
    public byte[] head() {
        return head;
    }

    /** The same for the leader, who alone gets fields that are not stored. */
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
