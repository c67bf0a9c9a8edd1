package dev.komainu.central.control;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import org.h2.store.fs.FileBaseDefault;
import org.h2.store.fs.FilePath;
import org.h2.store.fs.FilePathWrapper;

/**
 * H2's files below the scheme {@value #SCHEME}: each write to a database is on the disk before it
 * returns. Stateless.
 *
 * <p>H2 itself never forces a file while it is open. A loss of power then loses every commit since
 * the start, or damages the file, because the kernel writes its pages in any order (decision 0121).
 * H2 writes a commit at once and with one call ({@code WRITE_DELAY=0}), so forcing each write
 * forces each commit, and keeps the order of writes on which H2 relies.
 *
 * <p>H2 takes a chunk for whole when its head and its foot are there, and does not check what is
 * between them. So the last sector of each write, which holds the foot, follows when all before it
 * is on the disk.
 */
public final class ForcedFiles extends FilePathWrapper {

    static final String SCHEME = "forced";

    private static final String DATABASE = ".mv.db";

    /** Bytes that a disk writes as a whole or not at all. */
    private static final int SECTOR = 512;

    static {
        FilePath.register(new ForcedFiles());
    }

    /** H2 creates further ones by reflection. */
    public ForcedFiles() {}

    /** Returns the scheme, which H2 knows from now on. */
    static String scheme() {
        return SCHEME;
    }

    @Override
    public String getScheme() {
        return SCHEME;
    }

    @Override
    public FileChannel open(String mode) throws IOException {
        FilePath base = getBase();
        return mode.equals("r") || !name.endsWith(DATABASE)
                ? base.open(mode)
                : new Forced(new UninterruptedChannel(() -> base.open(mode)));
    }

    /**
     * A channel that forces each change, and that no interrupt closes. Any thread: the base takes
     * positions with each call.
     */
    @SuppressWarnings("UnsynchronizedOverridesSynchronized")
    private static final class Forced extends FileBaseDefault {

        private final FileChannel base;

        Forced(FileChannel base) {
            this.base = base;
        }

        @Override
        public long size() throws IOException {
            return base.size();
        }

        @Override
        public int read(ByteBuffer to, long at) throws IOException {
            return base.read(to, at);
        }

        @Override
        public int write(ByteBuffer from, long at) throws IOException {
            int length = from.remaining();
            int limit = from.limit();
            if (length > SECTOR) {
                from.limit(limit - SECTOR);
                writeFully(from, at);
                from.limit(limit);
            }
            writeFully(from, at + length - from.remaining());
            return length;
        }

        private void writeFully(ByteBuffer from, long at) throws IOException {
            long next = at;
            while (from.hasRemaining()) {
                next += base.write(from, next);
            }
            base.force(false);
        }

        @Override
        protected void implTruncate(long size) throws IOException {
            base.truncate(size);
            base.force(false);
        }

        @Override
        public void force(boolean metaData) throws IOException {
            base.force(metaData);
        }

        @Override
        public FileLock tryLock(long at, long size, boolean shared) throws IOException {
            return base.tryLock(at, size, shared);
        }

        @Override
        protected void implCloseChannel() throws IOException {
            base.close();
        }
    }
}
