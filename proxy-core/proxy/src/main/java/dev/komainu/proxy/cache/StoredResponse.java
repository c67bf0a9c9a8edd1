package dev.komainu.proxy.cache;

import dev.komainu.intermediary.caching.CacheKey;
import dev.komainu.intermediary.caching.Freshness;
import dev.komainu.proxy.cache.memory.BodyMemory;
import io.netty.buffer.ByteBuf;
import io.netty.util.IllegalReferenceCountException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One stored response: its head already encoded, its body in runs of {@link BodyMemory}.
 *
 * <pre>
 *   head:  HTTP/1.1 200 OK CRLF  end-to-end fields CRLF …  Content-Length: n CRLF      (no Age, Via, Connection, no empty line)
 *   body:  | run | run | …        one run when the length was known beforehand, with the head behind it
 * </pre>
 *
 * Immutable except for what a soft purge and hits change, and the runs' reference counts, which
 * start at one: the cache's. A reader takes its own, with {@link #hold} or {@link #retainBody}, so
 * an entry evicted while it is being sent stays valid, and its bytes stay counted, until the last
 * of them is on its way.
 */
public final class StoredResponse extends StoredRepresentation {

    /**
     * The map's node and slot, this object and its small ones, in a JVM with object headers of 12
     * bytes (HeapAccountTest).
     */
    public static final int OVERHEAD = 252;

    /** A run and its counter. */
    static final int RUN_OVERHEAD = 68;

    private static final ByteBuf[] NOTHING = new ByteBuf[0];

    private final int status;
    /** Most bodies are one run: an array for it would cost as much as half of it. */
    private final @Nullable ByteBuf first;

    private final ByteBuf[] more;
    private final long bodyLength;
    private final int weight;

    /** Takes over one reference of the head and of each buffer. */
    public StoredResponse(
            CacheKey key,
            int status,
            StoredHead head,
            ByteBuf[] body,
            Freshness freshness,
            List<String> labels) {
        super(key, head, freshness, labels);
        this.status = status;
        this.first = body.length == 0 ? null : BodyMemory.bare(body[0]);
        this.more = body.length < 2 ? NOTHING : new ByteBuf[body.length - 1];
        for (int i = 1; i < body.length; i++) {
            this.more[i - 1] = BodyMemory.bare(body[i]);
        }
        long length = 0;
        for (ByteBuf run : body) {
            length += run.readableBytes();
        }
        this.bodyLength = length;
        this.weight = Math.toIntExact(runBytes()
                + OVERHEAD
                + RUN_OVERHEAD * (body.length + (headIsApart() ? 1 : 0))
                + namesWeight());
    }

    /**
     * The same body under a new head, after the origin confirmed it; takes its own references of
     * the body.
     *
     * @param newHead its reference is taken over, or given back when the body is gone
     */
    public @Nullable StoredResponse refreshed(
            StoredHead newHead, Freshness newFreshness, List<String> newLabels) {
        ByteBuf[] again = retainBody();
        if (again == null) {
            newHead.letGo();
            return null;
        }
        StoredResponse fresh =
                new StoredResponse(key(), status, newHead, again, newFreshness, newLabels);
        fresh.hits(hits());
        return fresh;
    }

    private ByteBuf run(int index) {
        ByteBuf run = index == 0 ? first : more[index - 1];
        if (run == null) {
            throw new IndexOutOfBoundsException("run " + index + " of none");
        }
        return run;
    }

    /**
     * Views of the body, each to be released once; absent when the entry was dropped and sent in
     * the meantime.
     */
    public ByteBuf @Nullable [] retainBody() {
        ByteBuf[] views = runs() == 0 ? NOTHING : new ByteBuf[runs()];
        for (int i = 0; i < views.length; i++) {
            try {
                views[i] = run(i).retainedDuplicate();
            } catch (IllegalReferenceCountException gone) {
                for (int j = 0; j < i; j++) {
                    views[j].release();
                }
                return null;
            }
        }
        return views;
    }

    /**
     * Takes a reference of all that it consists of, without an object for it. End it with
     * {@link #letGo}, or with {@link #handOver} of each run and {@link #letGoHead}.
     *
     * @return false when it is gone
     */
    public boolean hold() {
        int held = 0;
        try {
            for (; held < runs(); held++) {
                run(held).retain();
            }
        } catch (IllegalReferenceCountException gone) {
            release(held);
            return false;
        }
        if (headIsApart() && !texts().hold()) {
            release(held);
            return false;
        }
        return true;
    }

    private void release(int count) {
        for (int i = 0; i < count; i++) {
            run(i).release();
        }
    }

    public void letGo() {
        release(runs());
        letGoHead();
    }

    /** For holders: the head is not needed any more. */
    public void letGoHead() {
        if (headIsApart()) {
            texts().letGo();
        }
    }

    /** For holders: a view of one run, which takes over the holder's reference of it. */
    public ByteBuf handOver(int index) {
        return run(index).duplicate();
    }

    /** For holders: adds the encoded head. */
    public void copyHead(ByteBuf out) {
        texts().copyTo(out);
    }

    /**
     * For holders: puts the encoded head, {@link #headLength} bytes, at the beginning of
     * {@code out}.
     */
    public void copyHead(byte[] out) {
        texts().copyTo(out);
    }

    /** For holders: adds the body. */
    public void copyBody(ByteBuf out) {
        for (int i = 0; i < runs(); i++) {
            ByteBuf run = run(i);
            out.writeBytes(run, run.readerIndex(), run.readableBytes());
        }
    }

    /** Whether another run than the body's first has it: then it is held by itself. */
    private boolean headIsApart() {
        return !texts().isIn(first);
    }

    public int runs() {
        return first == null ? 0 : 1 + more.length;
    }

    @Override
    public void release() {
        release(runs());
        texts().letGo();
    }

    /** Gives up a response that was never stored. */
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
        boolean apart = true;
        for (int i = 0; i < runs(); i++) {
            sum += BodyMemory.charged(run(i));
            apart &= !texts().isIn(run(i));
        }
        return apart ? sum + texts().charged() : sum;
    }

    @Override
    public int weight() {
        return weight;
    }
}
