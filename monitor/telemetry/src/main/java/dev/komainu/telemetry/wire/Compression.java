package dev.komainu.telemetry.wire;

import com.github.luben.zstd.Zstd;
import com.github.luben.zstd.ZstdInputStreamNoFinalizer;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PushbackInputStream;
import org.jspecify.annotations.Nullable;

/**
 * The zstd compression of a batch (RFC 8878). Level 1: half the bytes for 0.23 CPU seconds per
 * million records; higher levels gain little on rows that are mostly counters.
 */
public final class Compression {

    /**
     * Window of 8 MB, which RFC 8878 section 3.1.1.1.2 requires of every decoder. Without a limit,
     * malicious input could demand 128 MB.
     */
    private static final int MAX_WINDOW_LOG = 23;

    /** Largest frame header by RFC 8878 section 3.1.1: magic number, then 2 to 14 bytes. */
    private static final int FRAME_HEADER = 18;

    private static final int LEVEL = 1;

    private Compression() {}

    /** Compresses into one frame. */
    public static byte[] compress(byte[] plain) {
        return Zstd.compress(plain, LEVEL);
    }

    /**
     * Expands one or more frames into an array, for callers that need all bytes at once.
     *
     * @param most maximum bytes of the result
     * @throws MalformedBatchException when the bytes are not zstd, are truncated, or expand to more
     */
    public static byte[] expand(byte[] compressed, int most) throws MalformedBatchException {
        ByteArrayOutputStream plain =
                new ByteArrayOutputStream((int) Math.min(most, compressed.length * 3L + 64));
        try (Expansion in = expanding(new ByteArrayInputStream(compressed), most)) {
            in.transferTo(plain);
        } catch (IOException e) {
            throw MalformedBatchException.whole(String.valueOf(e.getMessage()));
        }
        return plain.toByteArray();
    }

    /**
     * Opens a stream that expands one or more frames as they are read. It holds one piece of input
     * and, outside the heap, the window; never the whole result.
     *
     * @param most maximum bytes of the result. A frame that announces more is refused before any of
     *     it is expanded; a frame that announces nothing, at the first byte beyond
     * @throws MalformedBatchException when the first frame announces more
     */
    static Expansion expanding(InputStream compressed, int most)
            throws MalformedBatchException, IOException {
        byte[] head = compressed.readNBytes(FRAME_HEADER);
        long announced = head.length == 0 ? 0 : Zstd.getFrameContentSize(head, 0, head.length);
        if (announced > most) {
            throw MalformedBatchException.whole("its zstd frame announces " + announced
                    + " bytes (expected: at most " + most + ")");
        }
        PushbackInputStream whole = new PushbackInputStream(compressed, FRAME_HEADER);
        whole.unread(head);
        ZstdInputStreamNoFinalizer zstd = new ZstdInputStreamNoFinalizer(whole);
        zstd.setLongMax(MAX_WINDOW_LOG);
        return new Expansion(zstd, most);
    }

    /** The expanded bytes of a compressed batch. Belongs to one thread. */
    static final class Expansion extends FilterInputStream {

        private final int most;
        private long count;
        private @Nullable String failure;
        private byte @Nullable [] skipped;

        private Expansion(InputStream zstd, int most) {
            super(zstd);
            this.most = most;
        }

        /** Returns the reason for which the bytes could not be expanded; null without one. */
        @Nullable
        String failure() {
            return failure;
        }

        @Override
        public int read() throws IOException {
            byte[] one = new byte[1];
            return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
        }

        @Override
        public int read(byte[] into, int from, int length) throws IOException {
            int n;
            try {
                n = in.read(into, from, length);
            } catch (IOException e) {
                failure = "not readable as zstd after " + count + " bytes: "
                        + (e.getMessage() == null ? "cut off" : e.getMessage());
                throw new IOException(failure, e);
            }
            count += Math.max(n, 0);
            if (count > most) {
                failure = "expands beyond the limit of " + most + " bytes";
                throw new IOException(failure);
            }
            return n;
        }

        @Override
        public long skip(long bytes) throws IOException {
            if (skipped == null) {
                skipped = new byte[8 << 10];
            }
            return Math.max(0, read(skipped, 0, (int) Math.min(bytes, skipped.length)));
        }

        @Override
        public boolean markSupported() {
            return false;
        }
    }
}
