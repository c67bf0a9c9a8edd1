package dev.komainu.agent.host.linux;

import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A Unix socket with a path in the file system (unix(7)): a listening one, or one that it accepted,
 * which carries the same path. The side that connected has no path.
 *
 * <pre>
 *  Num       RefCount Protocol Flags    Type St Inode Path
 *  00000000: 00000002 00000000 00010000 0001 01 23456 /run/php/php8.2-fpm.sock   flag 00010000: listens
 *  00000000: 00000003 00000000 00000000 0001 03 23999 /run/php/php8.2-fpm.sock   accepted
 * </pre>
 *
 * @param inode identity among the descriptors of processes
 * @param listening whether it accepts connections
 * @param path as the program bound it
 */
public record UnixSocket(long inode, boolean listening, String path) {

    /** Bytes of {@code net/unix} that are read; the rest is left out. */
    static final int MOST_BYTES = 16 << 20;

    /** Lines of {@code net/unix} that are read. */
    static final int MOST_LINES = 200_000;

    /** Longest line; the kernel's longest has a path of 108 bytes. */
    private static final int MOST_LINE_BYTES = 512;

    private static final int CHUNK_BYTES = 64 << 10;
    private static final long ACCEPTS_CONNECTIONS = 0x10000;
    private static final int FIELDS_BEFORE_PATH = 7;

    /**
     * Passes the sockets of this network namespace that have a path to a consumer. Malformed lines
     * are skipped; a file that cannot be read has none.
     */
    public static void forEach(ProcFiles proc, Consumer<UnixSocket> consumer) {
        try (InputStream in = new FileInputStream(proc.path("net/unix").toFile())) {
            Lines lines = new Lines(consumer);
            byte[] chunk = new byte[CHUNK_BYTES];
            int bytes = 0;
            int count = in.read(chunk);
            while (count > 0 && bytes < MOST_BYTES && lines.count < MOST_LINES) {
                lines.add(chunk, count);
                bytes += count;
                count = in.read(chunk);
            }
            if (count <= 0) {
                lines.end();
            }
        } catch (IOException e) {
            // Missing or forbidden: the lines read so far are the result.
        }
    }

    /** The lines of the file, put together from the pieces that are read. */
    private static final class Lines {

        private final Consumer<UnixSocket> consumer;
        private final byte[] line = new byte[MOST_LINE_BYTES];
        private int length;
        private boolean path;
        private int count;

        Lines(Consumer<UnixSocket> consumer) {
            this.consumer = consumer;
        }

        void add(byte[] chunk, int bytes) {
            for (int i = 0; i < bytes && count < MOST_LINES; i++) {
                if (chunk[i] == '\n') {
                    end();
                    continue;
                }
                // Most sockets have no path. Their lines contain no slash.
                path |= chunk[i] == '/';
                if (length < MOST_LINE_BYTES) {
                    line[length] = chunk[i];
                }
                length++;
            }
        }

        void end() {
            count++;
            if (path && length <= MOST_LINE_BYTES) {
                UnixSocket socket = parse(new String(line, 0, length, StandardCharsets.ISO_8859_1));
                if (socket != null) {
                    consumer.accept(socket);
                }
            }
            length = 0;
            path = false;
        }
    }

    /** Reads one line; null when it is malformed or has no path in the file system. */
    static @Nullable UnixSocket parse(String line) {
        String[] fields = line.split(" +", FIELDS_BEFORE_PATH + 1);
        if (fields.length <= FIELDS_BEFORE_PATH
                || !fields[0].endsWith(":")
                || !fields[FIELDS_BEFORE_PATH].startsWith("/")) {
            return null;
        }
        long flags = DecimalCounters.hex(fields[3], 0, fields[3].length(), -1);
        long inode = DecimalCounters.of(fields[6], -1);
        return flags < 0 || inode <= 0
                ? null
                : new UnixSocket(
                        inode, (flags & ACCEPTS_CONNECTIONS) != 0, fields[FIELDS_BEFORE_PATH]);
    }
}
