package dev.komainu.proxy.cache;

import dev.komainu.proxy.cache.memory.BodyMemory;
import dev.komainu.proxy.cache.memory.SlabBuffer;
import io.netty.buffer.ByteBuf;
import io.netty.util.IllegalReferenceCountException;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * The texts of a stored object, outside the heap: in its last run behind the body where that has
 * room, else in a run of their own.
 *
 * <pre>
 *   | body … | head | ETag | Last-Modified |          or    | head | ETag | Last-Modified |
 *            ^ from                                         ^ from
 * </pre>
 *
 * On the heap they were half of what a small object costs there. The two validators stand beside
 * the head although they mostly are in it too: so nobody searches for them, and some that must be
 * known are not to be shown. Immutable; has one reference of its run for each object that it
 * belongs to. Safe for all threads: what reads without being a holder holds for that long, and
 * finds nothing when the object was dropped meanwhile.
 */
public final class StoredHead {

    private static final int ABSENT = -1;

    private final SlabBuffer run;
    private final int from;
    private final int length;
    /** Bytes, or {@link #ABSENT}. */
    private final int etag;

    private final int modified;

    private StoredHead(
            SlabBuffer run,
            int from,
            byte[] encoded,
            @Nullable String etag,
            @Nullable String lastModified) {
        this.run = run;
        this.from = from;
        this.length = encoded.length;
        this.etag = etag == null ? ABSENT : etag.length();
        this.modified = lastModified == null ? ABSENT : lastModified.length();
        run.put(from, encoded);
        int next = from + length;
        if (etag != null) {
            run.put(next, etag.getBytes(StandardCharsets.ISO_8859_1));
            next += etag.length();
        }
        if (lastModified != null) {
            run.put(next, lastModified.getBytes(StandardCharsets.ISO_8859_1));
        }
    }

    /** Bytes of a run that such a head takes. */
    public static int bytes(byte[] encoded, @Nullable String etag, @Nullable String lastModified) {
        return encoded.length
                + (etag == null ? 0 : etag.length())
                + (lastModified == null ? 0 : lastModified.length());
    }

    /**
     * Behind what is written of a run in which nothing lies there yet; takes a reference of its
     * own.
     *
     * @return absent when the run has no room for it
     */
    public static @Nullable StoredHead behind(
            ByteBuf body, byte[] encoded, @Nullable String etag, @Nullable String lastModified) {
        if (body instanceof SlabBuffer run && run.spare() >= bytes(encoded, etag, lastModified)) {
            run.retain();
            return new StoredHead(run, run.writerIndex(), encoded, etag, lastModified);
        }
        return null;
    }

    /**
     * At the beginning of a run that is long enough and nobody else's; takes over its reference.
     */
    public static StoredHead in(
            SlabBuffer run, byte[] encoded, @Nullable String etag, @Nullable String lastModified) {
        return new StoredHead(run, 0, encoded, etag, lastModified);
    }

    /** The same for one more object, with a reference for it. The caller holds. */
    StoredHead again() {
        run.retain();
        return this;
    }

    boolean hold() {
        try {
            run.retain();
            return true;
        } catch (IllegalReferenceCountException gone) {
            return false;
        }
    }

    void letGo() {
        run.release();
    }

    /** Whether it lies in this run, so that who holds the one holds the other. */
    boolean isIn(@Nullable ByteBuf body) {
        return body == run;
    }

    /** Bytes of {@link BodyMemory} when it lies in a run of its own. */
    long charged() {
        return BodyMemory.charged(run);
    }

    int length() {
        return length;
    }

    boolean hasValidator() {
        return etag != ABSENT || modified != ABSENT;
    }

    /** For holders: adds the encoded head. */
    void copyTo(ByteBuf out) {
        run.copy(from, length, out);
    }

    /** For holders: puts the encoded head at the beginning of {@code out}. */
    void copyTo(byte[] out) {
        run.copy(from, out, length);
    }

    /** The encoded head; absent when it is gone. */
    byte @Nullable [] encoded() {
        return read(from, length);
    }

    @Nullable
    String etag() {
        return text(from + length, etag);
    }

    @Nullable
    String lastModified() {
        return text(from + length + Math.max(0, etag), modified);
    }

    private @Nullable String text(int at, int count) {
        byte[] bytes = count == ABSENT ? null : read(at, count);
        return bytes == null ? null : new String(bytes, StandardCharsets.ISO_8859_1);
    }

    private byte @Nullable [] read(int at, int count) {
        if (!hold()) {
            return null;
        }
        try {
            byte[] bytes = new byte[count];
            run.copy(at, bytes, count);
            return bytes;
        } finally {
            letGo();
        }
    }
}
