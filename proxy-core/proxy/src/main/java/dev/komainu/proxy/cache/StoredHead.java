package dev.komainu.proxy.cache;

import dev.komainu.proxy.cache.memory.BodyMemory;
import dev.komainu.proxy.cache.memory.SlabBuffer;
import io.netty.buffer.ByteBuf;
import io.netty.util.IllegalReferenceCountException;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * The texts of a stored object, outside the heap: in its last run behind the body when that has
 * room, else in a run of their own.
 *
 * <pre>
 *   | body … | head | ETag | Last-Modified |    or | head | ETag | Last-Modified |
 *            ^ from                                ^ from
 * </pre>
 *
 * On the heap they were half of a small object's heap bytes. The two validators are stored beside
 * the head although most heads contain them: they need no search, and some must be known without
 * being sent. Immutable. Each object that uses this head has one reference of the run. Thread-safe:
 * a reader without a reference retains the run for the duration of the read, and gets null when the
 * object was dropped meanwhile.
 */
public final class StoredHead {

    private static final int ABSENT = -1;

    private final SlabBuffer run;
    private final int from;
    private final int length;
    /** Length in bytes, or {@link #ABSENT}. */
    private final int etagLength;

    private final int lastModifiedLength;

    private StoredHead(
            SlabBuffer run,
            int from,
            byte[] encoded,
            @Nullable String etag,
            @Nullable String lastModified) {
        this.run = run;
        this.from = from;
        this.length = encoded.length;
        this.etagLength = etag == null ? ABSENT : etag.length();
        this.lastModifiedLength = lastModified == null ? ABSENT : lastModified.length();
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

    /** Returns the bytes that such a head occupies in a run. */
    public static int bytes(byte[] encoded, @Nullable String etag, @Nullable String lastModified) {
        return encoded.length
                + (etag == null ? 0 : etag.length())
                + (lastModified == null ? 0 : lastModified.length());
    }

    /**
     * Stores the head behind the written bytes of a run that has nothing there yet, with a
     * reference of its own.
     *
     * @return null when the run has no room for it
     */
    public static @Nullable StoredHead behindBody(
            ByteBuf body, byte[] encoded, @Nullable String etag, @Nullable String lastModified) {
        if (body instanceof SlabBuffer run && run.spare() >= bytes(encoded, etag, lastModified)) {
            run.retain();
            return new StoredHead(run, run.writerIndex(), encoded, etag, lastModified);
        }
        return null;
    }

    /**
     * Stores the head at the beginning of a run that is long enough and has no other use. Takes
     * over the run's reference.
     */
    public static StoredHead inOwnRun(
            SlabBuffer run, byte[] encoded, @Nullable String etag, @Nullable String lastModified) {
        return new StoredHead(run, 0, encoded, etag, lastModified);
    }

    /** Adds a reference for one more object. Requires a reference. */
    StoredHead retained() {
        run.retain();
        return this;
    }

    boolean retain() {
        try {
            run.retain();
            return true;
        } catch (IllegalReferenceCountException released) {
            return false;
        }
    }

    void release() {
        run.release();
    }

    /** Reports whether the head lies in this run: a reference to one then retains the other. */
    @SuppressWarnings(
            "ReferenceEquality") // buffers are equal by content; this asks for the run itself
    boolean isIn(@Nullable ByteBuf body) {
        return body == run;
    }

    /** Returns the bytes of {@link BodyMemory} when the head has a run of its own. */
    long charged() {
        return BodyMemory.charged(run);
    }

    int length() {
        return length;
    }

    boolean hasValidator() {
        return etagLength != ABSENT || lastModifiedLength != ABSENT;
    }

    /** Appends the encoded head. Requires a reference. */
    void copyTo(ByteBuf out) {
        run.copy(from, length, out);
    }

    /** Copies the encoded head to the beginning of {@code out}. Requires a reference. */
    void copyTo(byte[] out) {
        run.copy(from, out, length);
    }

    /** Returns the encoded head; null when it no longer exists. */
    byte @Nullable [] encoded() {
        return read(from, length);
    }

    @Nullable
    String etag() {
        return text(from + length, etagLength);
    }

    @Nullable
    String lastModified() {
        return text(from + length + Math.max(0, etagLength), lastModifiedLength);
    }

    private @Nullable String text(int position, int count) {
        byte[] bytes = count == ABSENT ? null : read(position, count);
        return bytes == null ? null : new String(bytes, StandardCharsets.ISO_8859_1);
    }

    private byte @Nullable [] read(int position, int count) {
        if (!retain()) {
            return null;
        }
        try {
            byte[] bytes = new byte[count];
            run.copy(position, bytes, count);
            return bytes;
        } finally {
            release();
        }
    }
}
