package dev.komainu.bench.replay;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.Locale;
import java.util.Random;
import java.util.zip.CRC32C;

/**
 * The processor time of a first hit from the disk by each possible way, over loopback, blocking, on
 * the sending thread:
 *
 * <pre>
 *   read      pread into memory, CRC32C, then write from there: as the disk tier does; the next hit only writes
 *   write     from memory, as every later hit
 *   sendfile  from the file (FileChannel.transferTo), unverified; the same for every later hit
 * </pre>
 *
 * java SendfileReplay.java FILE: with -XX:MaxDirectMemorySize=2g; a scratch file of 1 GB, created
 * and deleted. It waits for a line of input; before it, drop the file's pages: dd of=FILE
 * oflag=nocache conv=notrunc,fdatasync count=0. Then it measures how long one call blocks its
 * thread when the file is not in the page cache.
 */
public final class SendfileReplay {

    private static final long FILE_BYTES = 1L << 30;
    private static final int[] SIZES = {1 << 10, 10 << 10, 100 << 10, 1 << 20};
    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    private interface Method {
        void send(FileChannel file, long position, int length, SocketChannel target)
                throws IOException;
    }

    private static final ByteBuffer MEMORY = ByteBuffer.allocateDirect(1 << 20);
    /**
     * The source of later hits: as large as the file, so that neither has its bytes in the
     * processor's caches.
     */
    private static final ByteBuffer STORED = ByteBuffer.allocateDirect((int) FILE_BYTES);

    private static final CRC32C CRC = new CRC32C();

    public static void main(String[] args) throws Exception {
        Path path = Path.of(args[0]);
        try (ServerSocketChannel listener = ServerSocketChannel.open()
                .bind(new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), 0))) {
            Thread.ofPlatform().daemon().start(() -> drain(listener));
            try (SocketChannel target = SocketChannel.open(listener.getLocalAddress())) {
                target.setOption(StandardSocketOptions.TCP_NODELAY, true);
                fill(path);
                try (FileChannel file = FileChannel.open(path, StandardOpenOption.READ)) {
                    warm(file, target);
                    cold(file, target);
                }
            }
        } finally {
            Files.deleteIfExists(path);
        }
    }

    private static void fill(Path path) throws IOException {
        byte[] piece = new byte[1 << 20];
        new Random(1).nextBytes(piece);
        try (FileChannel file =
                FileChannel.open(path, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
            for (long position = 0; position < FILE_BYTES; position += piece.length) {
                file.write(ByteBuffer.wrap(piece));
            }
            file.force(true);
        }
    }

    private static void warm(FileChannel file, SocketChannel target) throws IOException {
        for (int position = 0; position < FILE_BYTES; position += 4096) {
            STORED.put(position, (byte) position);
        }
        Method[] methods = {SendfileReplay::read, SendfileReplay::write, SendfileReplay::sendfile};
        System.out.println(
                "in the page cache, µs of processor time for each response (median of 9 runs): bytes, read + check + write, write, sendfile");
        for (int size : SIZES) {
            double[] micros = new double[methods.length];
            for (int method = 0; method < methods.length; method++) {
                double[] runs = new double[9];
                int count = (int) Math.min(20_000, (256L << 20) / size);
                for (int run = -2; run < runs.length; run++) {
                    Random random = new Random(3);
                    long start = THREADS.getCurrentThreadCpuTime();
                    for (int i = 0; i < count; i++) {
                        methods[method].send(file, randomPosition(random, size), size, target);
                    }
                    if (run >= 0) {
                        runs[run] = (THREADS.getCurrentThreadCpuTime() - start) / 1e3 / count;
                    }
                }
                Arrays.sort(runs);
                micros[method] = runs[runs.length / 2];
            }
            System.out.printf(
                    Locale.ROOT, "%d %.2f %.2f %.2f%n", size, micros[0], micros[1], micros[2]);
        }
    }

    private static void cold(FileChannel file, SocketChannel target) throws IOException {
        System.out.println("drop the file's pages from the page cache, then press Enter");
        System.in.read();
        System.out.println(
                "not in the page cache, µs for which one call of sendfile blocks its thread: bytes, median, p95, maximum of 200");
        Random random = new Random(5);
        for (int size : SIZES) {
            double[] micros = new double[200];
            for (int i = 0; i < micros.length; i++) {
                long start = System.nanoTime();
                sendfile(file, randomPosition(random, size), size, target);
                micros[i] = (System.nanoTime() - start) / 1e3;
            }
            Arrays.sort(micros);
            System.out.printf(
                    Locale.ROOT,
                    "%d %.0f %.0f %.0f%n",
                    size,
                    micros[100],
                    micros[190],
                    micros[199]);
        }
    }

    /** Returns a random position: records begin at multiples of 16. */
    private static long randomPosition(Random random, int size) {
        return random.nextLong((FILE_BYTES - size) / 16) * 16;
    }

    private static void read(FileChannel file, long position, int length, SocketChannel target)
            throws IOException {
        ByteBuffer memory = MEMORY.clear().limit(length);
        while (memory.hasRemaining()) {
            file.read(memory, position + memory.position());
        }
        CRC.reset();
        CRC.update(memory.flip());
        write(memory.rewind(), target);
    }

    private static void write(FileChannel file, long position, int length, SocketChannel target)
            throws IOException {
        write(STORED.limit((int) position + length).position((int) position), target);
    }

    private static void write(ByteBuffer memory, SocketChannel target) throws IOException {
        while (memory.hasRemaining()) {
            target.write(memory);
        }
    }

    private static void sendfile(FileChannel file, long position, int length, SocketChannel target)
            throws IOException {
        for (int sent = 0; sent < length; ) {
            sent += (int) file.transferTo(position + sent, length - sent, target);
        }
    }

    private static void drain(ServerSocketChannel listener) {
        ByteBuffer into = ByteBuffer.allocateDirect(1 << 18);
        try (SocketChannel from = listener.accept()) {
            while (from.read(into.clear()) >= 0) {
                // The bytes are discarded.
            }
        } catch (IOException e) {
            return;
        }
    }
}
