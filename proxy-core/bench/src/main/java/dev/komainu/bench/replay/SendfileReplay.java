package dev.komainu.bench.replay;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
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
 * What a first hit from the disk costs the processor by the ways there are, over loopback,
 * blocking, by the thread that sends:
 *
 * <pre>
 *   read      pread into memory, CRC32C, then write from there: the disk tier's way; the next hit writes only
 *   write     from memory, as every later hit
 *   sendfile  from the file (FileChannel.transferTo), unverified; every later hit likewise
 * </pre>
 *
 * java SendfileReplay.java FILE: with -XX:MaxDirectMemorySize=2g; a scratch file of 1 GB, made and
 * removed. It waits for a line in between; let its pages go meanwhile: dd of=FILE oflag=nocache
 * conv=notrunc,fdatasync count=0. Then: how long one call holds its thread when the file is cold.
 */
public final class SendfileReplay {

    private static final long FILE_BYTES = 1L << 30;
    private static final int[] SIZES = {1 << 10, 10 << 10, 100 << 10, 1 << 20};
    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    private interface Way {
        void send(FileChannel file, long at, int length, SocketChannel to) throws IOException;
    }

    private static final ByteBuffer MEMORY = ByteBuffer.allocateDirect(1 << 20);
    /**
     * What later hits are written from: as wide as the file, so that neither finds its bytes in the
     * processor's caches.
     */
    private static final ByteBuffer STORED = ByteBuffer.allocateDirect((int) FILE_BYTES);

    private static final CRC32C CRC = new CRC32C();

    public static void main(String[] args) throws Exception {
        Path path = Path.of(args[0]);
        try (ServerSocketChannel listener =
                ServerSocketChannel.open().bind(new InetSocketAddress("127.0.0.1", 0))) {
            Thread.ofPlatform().daemon().start(() -> drain(listener));
            try (SocketChannel to = SocketChannel.open(listener.getLocalAddress())) {
                to.setOption(StandardSocketOptions.TCP_NODELAY, true);
                fill(path);
                try (FileChannel file = FileChannel.open(path, StandardOpenOption.READ)) {
                    warm(file, to);
                    cold(file, to);
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
            for (long at = 0; at < FILE_BYTES; at += piece.length) {
                file.write(ByteBuffer.wrap(piece));
            }
            file.force(true);
        }
    }

    private static void warm(FileChannel file, SocketChannel to) throws IOException {
        for (int at = 0; at < FILE_BYTES; at += 4096) {
            STORED.put(at, (byte) at);
        }
        Way[] ways = {SendfileReplay::read, SendfileReplay::write, SendfileReplay::sendfile};
        System.out.println(
                "in the page cache, µs of processor for each answer (median of 9 runs): bytes, read + check + write, write, sendfile");
        for (int size : SIZES) {
            double[] micros = new double[ways.length];
            for (int way = 0; way < ways.length; way++) {
                double[] runs = new double[9];
                int count = (int) Math.min(20_000, (256L << 20) / size);
                for (int run = -2; run < runs.length; run++) {
                    Random random = new Random(3);
                    long begun = THREADS.getCurrentThreadCpuTime();
                    for (int i = 0; i < count; i++) {
                        ways[way].send(file, place(random, size), size, to);
                    }
                    if (run >= 0) {
                        runs[run] = (THREADS.getCurrentThreadCpuTime() - begun) / 1e3 / count;
                    }
                }
                Arrays.sort(runs);
                micros[way] = runs[runs.length / 2];
            }
            System.out.printf(
                    Locale.ROOT, "%d %.2f %.2f %.2f%n", size, micros[0], micros[1], micros[2]);
        }
    }

    private static void cold(FileChannel file, SocketChannel to) throws IOException {
        System.out.println("let the file's pages go, then say so by a line");
        System.in.read();
        System.out.println(
                "cold, µs that one call of sendfile holds its thread: bytes, median, p95, most of 200");
        Random random = new Random(5);
        for (int size : SIZES) {
            double[] micros = new double[200];
            for (int i = 0; i < micros.length; i++) {
                long begun = System.nanoTime();
                sendfile(file, place(random, size), size, to);
                micros[i] = (System.nanoTime() - begun) / 1e3;
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

    /** Records begin at multiples of 16. */
    private static long place(Random random, int size) {
        return random.nextLong((FILE_BYTES - size) / 16) * 16;
    }

    private static void read(FileChannel file, long at, int length, SocketChannel to)
            throws IOException {
        ByteBuffer memory = MEMORY.clear().limit(length);
        while (memory.hasRemaining()) {
            file.read(memory, at + memory.position());
        }
        CRC.reset();
        CRC.update(memory.flip());
        write(memory.rewind(), to);
    }

    private static void write(FileChannel file, long at, int length, SocketChannel to)
            throws IOException {
        write(STORED.limit((int) at + length).position((int) at), to);
    }

    private static void write(ByteBuffer memory, SocketChannel to) throws IOException {
        while (memory.hasRemaining()) {
            to.write(memory);
        }
    }

    private static void sendfile(FileChannel file, long at, int length, SocketChannel to)
            throws IOException {
        for (int sent = 0; sent < length; ) {
            sent += (int) file.transferTo(at + sent, length - sent, to);
        }
    }

    private static void drain(ServerSocketChannel listener) {
        ByteBuffer into = ByteBuffer.allocateDirect(1 << 18);
        try (SocketChannel from = listener.accept()) {
            while (from.read(into.clear()) >= 0) {
                // Nobody wants it.
                continue;
            }
        } catch (IOException e) {
            return;
        }
    }
}
