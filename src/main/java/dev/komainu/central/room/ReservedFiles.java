package dev.komainu.central.room;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.h2.store.fs.FileBaseDefault;
import org.h2.store.fs.FilePath;
import org.h2.store.fs.FilePathWrapper;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * H2's files below the scheme {@value #SCHEME}: a write that fails for want of room gives the
 * reserve of the directory back and is repeated. Any thread.
 *
 * <p>H2 closes a database after one write that failed. So a write for which there is no room, even
 * without the reserve, waits until there is some, and the transactions of others with it.
 *
 * <p>The whole write is repeated, with the force of the scheme below: the kernel drops what it
 * could not write, and a repeated force would report success.
 */
public final class ReservedFiles extends FilePathWrapper {

    static final String SCHEME = "reserve";

    private static final Logger LOG = LoggerFactory.getLogger(ReservedFiles.class);
    private static final long PAUSE_MILLIS = 100;
    private static final long LOG_NANOS = TimeUnit.MINUTES.toNanos(1);
    /** Free bytes below which a failure counts as want of room, whatever its text says. */
    private static final long NEARLY_NOTHING = 256 << 10;
    /** The kernel's texts; in another language the free bytes decide. */
    private static final Pattern NO_ROOM = Pattern.compile("No space left|quota exceeded");

    /** Reserves by their directories. H2 creates the files itself, by their names. */
    private static final Map<Path, Reserve> RESERVES = new ConcurrentHashMap<>();

    static {
        FilePath.register(new ReservedFiles());
    }

    /** H2 creates further ones by reflection. */
    public ReservedFiles() {}

    /** Returns the scheme, which H2 knows from now on. */
    public static String scheme() {
        return SCHEME;
    }

    /** Lets the files of a directory use a reserve, in place of an earlier one. */
    public static void use(Path directory, Reserve reserve) {
        RESERVES.put(directory.toAbsolutePath().normalize(), reserve);
    }

    @Override
    public String getScheme() {
        return SCHEME;
    }

    @Override
    public FileChannel open(String mode) throws IOException {
        FileChannel base = getBase().open(mode);
        Path file = file();
        Reserve reserve = RESERVES.get(file.getParent());
        return mode.equals("r") || reserve == null ? base : new Reserved(base, file, reserve);
    }

    /** Returns the file below all schemes. */
    private Path file() {
        FilePath below = getBase();
        while (below instanceof FilePathWrapper wrapper) {
            below = wrapper.unwrap();
        }
        return Path.of(below.toString()).toAbsolutePath().normalize();
    }

    /** A channel whose writes have room. Any thread: the base takes positions with each call. */
    @SuppressWarnings("UnsynchronizedOverridesSynchronized")
    private static final class Reserved extends FileBaseDefault {

        /** A change of the file that can be repeated. */
        private interface Change {
            int run() throws IOException;
        }

        private final FileChannel base;
        private final Path file;
        private final Reserve reserve;

        Reserved(FileChannel base, Path file, Reserve reserve) {
            this.base = base;
            this.file = file;
            this.reserve = reserve;
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
            int start = from.position();
            return change(() -> {
                from.position(start);
                int written = 0;
                while (from.hasRemaining()) {
                    written += base.write(from, at + written);
                }
                return written;
            });
        }

        @Override
        protected void implTruncate(long size) throws IOException {
            change(() -> {
                base.truncate(size);
                return 0;
            });
        }

        private int change(Change change) throws IOException {
            long toldNanos = 0;
            while (true) {
                try {
                    return change.run();
                } catch (IOException e) {
                    if (reserve.giveBack()) {
                        continue;
                    }
                    if (!base.isOpen() || reserve.isEnding() || !isForWantOfRoom(e)) {
                        throw e;
                    }
                    long now = System.nanoTime();
                    if (toldNanos == 0 || now - toldNanos >= LOG_NANOS) {
                        toldNanos = now;
                        LOG.error("Control data: {} waits for room: {}", file, e.getMessage());
                    }
                    pause(e);
                }
            }
        }

        private boolean isForWantOfRoom(IOException e) {
            if (NO_ROOM.matcher(String.valueOf(e.getMessage())).find()) {
                return true;
            }
            try {
                return Files.getFileStore(file).getUsableSpace() < NEARLY_NOTHING;
            } catch (IOException unknown) {
                return false;
            }
        }

        private static void pause(IOException cause) throws IOException {
            try {
                Thread.sleep(PAUSE_MILLIS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw cause;
            }
        }

        @Override
        public void force(boolean metaData) throws IOException {
            base.force(metaData);
        }

        @Override
        public @Nullable FileLock tryLock(long at, long size, boolean shared) throws IOException {
            return base.tryLock(at, size, shared);
        }

        @Override
        protected void implCloseChannel() throws IOException {
            base.close();
        }
    }
}
