package dev.komainu.proxy.cache;

import io.netty.buffer.ByteBuf;
import io.netty.util.IllegalReferenceCountException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One stored response: its head already encoded, its body in runs of {@link BodyMemory}.
 *
 * <pre>
 *   head:  HTTP/1.1 200 OK CRLF  end-to-end fields CRLF …  Content-Length: n CRLF      (no Age, Via, Connection, no empty line)
 *   body:  | run | run | …        one run when the length was known beforehand
 * </pre>
 *
 * Immutable except for what a soft purge and hits change, and the body's reference count, which starts at one: the cache's. A reader takes its own with
 * {@link #retainBody} and gives it back by releasing the buffers, so an entry evicted while it is being sent stays
 * valid, and its bytes stay counted, until the last of them is on its way.
 */
public final class StoredResponse extends Stored {

    /** The map's node and slot, this object and its small ones, in a JVM with object headers of 12 bytes (HeapAccountTest). */
    static final int OVERHEAD = 280;

    /** A run, its counter and its place in an array. */
    static final int RUN_OVERHEAD = 84;

    private static final ByteBuf[] NOTHING = new ByteBuf[0];

    private final int status;
    private final ByteBuf[] body;
    private final long bodyLength;
    private final int weight;

    /** Takes over one reference of each buffer. */
    public StoredResponse(
            CacheKey key,
            int status,
            byte[] head,
            ByteBuf[] body,
            Freshness freshness,
            @Nullable String etag,
            @Nullable String lastModified,
            List<String> labels) {
        super(key, head, freshness, etag, lastModified, labels);
        this.status = status;
        this.body = body.length == 0 ? NOTHING : new ByteBuf[body.length];
        for (int i = 0; i < body.length; i++) {
            this.body[i] = BodyMemory.bare(body[i]);
        }
        long length = 0;
        long runs = 0;
        for (ByteBuf run : body) {
            length += run.readableBytes();
            runs += BodyMemory.charged(run);
        }
        this.bodyLength = length;
        this.weight = Math.toIntExact(runs + OVERHEAD + RUN_OVERHEAD * body.length + headWeight());
    }

    /** The same body under a new head, after the origin confirmed it; takes its own references of the body. */
    public @Nullable StoredResponse refreshed(
            byte[] newHead,
            Freshness newFreshness,
            @Nullable String newEtag,
            @Nullable String newModified,
            List<String> newLabels) {
        ByteBuf[] again = retainBody();
        if (again == null) {
            return null;
        }
        StoredResponse fresh =
                new StoredResponse(key(), status, newHead, again, newFreshness, newEtag, newModified, newLabels);
        fresh.hits(hits());
        return fresh;
    }

    /** Views of the body, each to be released once; absent when the entry was dropped and sent in the meantime. */
    public ByteBuf @Nullable [] retainBody() {
        ByteBuf[] views = body.length == 0 ? NOTHING : new ByteBuf[body.length];
        for (int i = 0; i < body.length; i++) {
            ByteBuf view = retainRun(i);
            if (view == null) {
                for (int j = 0; j < i; j++) {
                    views[j].release();
                }
                return null;
            }
            views[i] = view;
        }
        return views;
    }

    /** One run's view; absent when it is gone. */
    public @Nullable ByteBuf retainRun(int index) {
        try {
            return body[index].retainedDuplicate();
        } catch (IllegalReferenceCountException gone) {
            return null;
        }
    }

    public int runs() {
        return body.length;
    }

    @Override
    public void release() {
        for (ByteBuf run : body) {
            run.release();
        }
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
    long runBytes() {
        long sum = 0;
        for (ByteBuf run : body) {
            sum += BodyMemory.charged(run);
        }
        return sum;
    }

    @Override
    public int weight() {
        return weight;
    }
}
