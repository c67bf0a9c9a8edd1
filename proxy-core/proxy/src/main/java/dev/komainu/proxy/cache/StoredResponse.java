package dev.komainu.proxy.cache;

import dev.komainu.intermediary.caching.CacheKey;
import dev.komainu.intermediary.caching.Freshness;
import dev.komainu.proxy.cache.memory.BodyMemory;
import io.netty.buffer.ByteBuf;
import io.netty.util.IllegalReferenceCountException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A stored response: the encoded head, and the body in runs of {@link BodyMemory}.
 *
 * <pre>
 *   head:  HTTP/1.1 200 OK CRLF  end-to-end fields CRLF …  Content-Length: n CRLF   (no Age, Via, Connection, no empty line)
 *   body:  | run | run | …  one run when the length was known in advance, with the head behind it
 * </pre>
 *
 * Immutable, except for the changes by a soft purge and by hits, and for the runs' reference
 * counts. These start at one, the cache's reference. A reader adds its own with {@link #retain} or
 * {@link #retainBody}. An entry evicted while it is being sent therefore stays valid, and its bytes
 * stay counted, until the last of them is sent.
 */
public final class StoredResponse extends StoredRepresentation {

    /**
     * Heap bytes of the map's node and slot, of this object and of its small ones, in a JVM with
     * object headers of 12 bytes (HeapAccountTest).
     */
    public static final int OVERHEAD = 252;

    /** Heap bytes of a run and its counter. */
    static final int RUN_OVERHEAD = 68;

    private static final ByteBuf[] NO_RUNS = new ByteBuf[0];

    private final int status;
    /** The first run. Most bodies are one run: an array for it would cost half as much again. */
    private final @Nullable ByteBuf firstRun;

    private final ByteBuf[] otherRuns;
    private final long bodyLength;
    private final int weight;

    /** Creates a response and takes over one reference of the head and of each buffer. */
    public StoredResponse(
            CacheKey key,
            int status,
            StoredHead head,
            ByteBuf[] body,
            Freshness freshness,
            List<String> labels) {
        super(key, head, freshness, labels);
        this.status = status;
        this.firstRun = body.length == 0 ? null : BodyMemory.unwrapRun(body[0]);
        this.otherRuns = body.length < 2 ? NO_RUNS : new ByteBuf[body.length - 1];
        for (int i = 1; i < body.length; i++) {
            this.otherRuns[i - 1] = BodyMemory.unwrapRun(body[i]);
        }
        long length = 0;
        for (ByteBuf run : body) {
            length += run.readableBytes();
        }
        this.bodyLength = length;
        this.weight = Math.toIntExact(runBytes()
                + OVERHEAD
                + (long) RUN_OVERHEAD * (body.length + (hasSeparateHead() ? 1 : 0))
                + namesWeight());
    }

    /**
     * Returns the same body under a new head, after the origin validated it, with its own
     * references of the body.
     *
     * @param newHead its reference is taken over, or released when the body no longer exists
     * @return null when the body no longer exists
     */
    public @Nullable StoredResponse refreshed(
            StoredHead newHead, Freshness newFreshness, List<String> newLabels) {
        ByteBuf[] body = retainBody();
        if (body == null) {
            newHead.release();
            return null;
        }
        StoredResponse updated =
                new StoredResponse(key(), status, newHead, body, newFreshness, newLabels);
        updated.hits(hits());
        return updated;
    }

    private ByteBuf run(int index) {
        ByteBuf run = index == 0 ? firstRun : otherRuns[index - 1];
        if (run == null) {
            throw new IndexOutOfBoundsException("no run " + index);
        }
        return run;
    }

    /**
     * Returns views of the body, each to be released once; null when the entry was dropped and its
     * last reader has finished.
     */
    public ByteBuf @Nullable [] retainBody() {
        ByteBuf[] views = runs() == 0 ? NO_RUNS : new ByteBuf[runs()];
        for (int i = 0; i < views.length; i++) {
            try {
                views[i] = run(i).retainedDuplicate();
            } catch (IllegalReferenceCountException released) {
                for (int j = 0; j < i; j++) {
                    views[j].release();
                }
                return null;
            }
        }
        return views;
    }

    /**
     * Adds a reference to each run and the head, without allocation. Balanced by
     * {@link #releaseRetained}, or by {@link #takeRun} of each run and {@link #releaseHead}.
     *
     * @return false when the response no longer exists
     */
    public boolean retain() {
        int retained = 0;
        try {
            for (; retained < runs(); retained++) {
                run(retained).retain();
            }
        } catch (IllegalReferenceCountException released) {
            release(retained);
            return false;
        }
        if (hasSeparateHead() && !texts().retain()) {
            release(retained);
            return false;
        }
        return true;
    }

    private void release(int count) {
        for (int i = 0; i < count; i++) {
            run(i).release();
        }
    }

    public void releaseRetained() {
        release(runs());
        releaseHead();
    }

    /** Releases the reference to the head. Requires a reference. */
    public void releaseHead() {
        if (hasSeparateHead()) {
            texts().release();
        }
    }

    /** Returns a view of one run that takes over the caller's reference to the run. */
    public ByteBuf takeRun(int index) {
        return run(index).duplicate();
    }

    /** Appends the encoded head. Requires a reference. */
    public void copyHead(ByteBuf out) {
        texts().copyTo(out);
    }

    /**
     * Copies the encoded head, {@link #headLength} bytes, to the beginning of {@code out}. Requires
     * a reference.
     */
    public void copyHead(byte[] out) {
        texts().copyTo(out);
    }

    /** Appends the body. Requires a reference. */
    public void copyBody(ByteBuf out) {
        for (int i = 0; i < runs(); i++) {
            ByteBuf run = run(i);
            out.writeBytes(run, run.readerIndex(), run.readableBytes());
        }
    }

    /**
     * Reports whether the head lies outside the body's first run and has a reference of its own.
     */
    private boolean hasSeparateHead() {
        return !texts().isIn(firstRun);
    }

    /** Returns the number of the body's runs, 0 for an empty body. */
    public int runs() {
        return firstRun == null ? 0 : 1 + otherRuns.length;
    }

    @Override
    public void release() {
        release(runs());
        texts().release();
    }

    /** Releases a response that was never stored. */
    public void discard() {
        release();
    }

    @Override
    public int status() {
        return status;
    }

    @Override
    public long bodyLength() {
        return bodyLength;
    }

    @Override
    public long runBytes() {
        long sum = 0;
        boolean separate = true;
        for (int i = 0; i < runs(); i++) {
            sum += BodyMemory.charged(run(i));
            separate &= !texts().isIn(run(i));
        }
        return separate ? sum + texts().charged() : sum;
    }

    @Override
    public int weight() {
        return weight;
    }
}
