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
 * Immutable except for the body's reference count, which starts at one: the cache's. A reader takes its own with
 * {@link #retainBody} and gives it back by releasing the buffers, so an entry evicted while it is being sent stays
 * valid, and its bytes stay counted, until the last of them is on its way.
 */
public final class StoredResponse implements CacheEntry {

    /** The map's node, this object, its small objects: measured about 330 bytes with compact headers, rounded up. */
    static final int OVERHEAD = 384;

    private static final ByteBuf[] NOTHING = new ByteBuf[0];

    private final CacheKey key;
    private final int status;
    private final byte[] head;
    private final ByteBuf[] body;
    private final long bodyLength;
    private final Freshness freshness;
    private final @Nullable String etag;
    private final @Nullable String lastModified;
    private final List<String> groups;
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
            List<String> groups) {
        this.key = key;
        this.status = status;
        this.head = head;
        this.body = body.length == 0 ? NOTHING : body;
        this.freshness = freshness;
        this.etag = etag;
        this.lastModified = lastModified;
        this.groups = groups;
        long length = 0;
        long runs = 0;
        for (ByteBuf run : body) {
            length += run.readableBytes();
            runs += BodyMemory.charged(run);
        }
        this.bodyLength = length;
        int validators =
                (etag == null ? 0 : 40 + etag.length()) + (lastModified == null ? 0 : 40 + lastModified.length());
        int grouped = 0;
        for (String group : groups) {
            grouped += 48 + group.length();
        }
        this.weight = Math.toIntExact(runs + head.length + key.footprint() + OVERHEAD + validators + grouped);
    }

    /** The same body under a new head, after the origin confirmed it; takes its own references of the body. */
    public @Nullable StoredResponse refreshed(
            byte[] newHead,
            Freshness newFreshness,
            @Nullable String newEtag,
            @Nullable String newModified,
            List<String> newGroups) {
        ByteBuf[] again = retainBody();
        return again == null
                ? null
                : new StoredResponse(key, status, newHead, again, newFreshness, newEtag, newModified, newGroups);
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

    void release() {
        for (ByteBuf run : body) {
            run.release();
        }
    }

    /** Gives up a response that was never stored. */
    public void discard() {
        release();
    }

    public CacheKey key() {
        return key;
    }

    public int status() {
        return status;
    }

    /** Never written to. */
    public byte[] head() {
        return head;
    }

    public long bodyLength() {
        return bodyLength;
    }

    public Freshness freshness() {
        return freshness;
    }

    public @Nullable String etag() {
        return etag;
    }

    public @Nullable String lastModified() {
        return lastModified;
    }

    /** See {@link CacheGroups}. */
    public List<String> groups() {
        return groups;
    }

    @Override
    public int weight() {
        return weight;
    }
}
