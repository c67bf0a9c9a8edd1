package dev.komainu.proxy.cache.memory;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/**
 * Several event loops fill bodies of one slab at once. Without Unsafe, which a JVM without this
 * project's options withholds, a Netty buffer's own setters pass through one shared buffer. A JVM
 * without Unsafe therefore shows any mixed-up bytes.
 */
class RunWithoutUnsafeTest {

    @Test
    void bodiesOfOneSlab_filledByManyThreads_keepTheirBytes() throws Exception {
        Process child = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Dio.netty.noUnsafe=true",
                        "--enable-native-access=ALL-UNNAMED",
                        "-cp",
                        System.getProperty(
                                "surefire.test.class.path", System.getProperty("java.class.path")),
                        Filling.class.getName())
                .redirectErrorStream(true)
                .start();
        String output = new String(child.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(child.waitFor()).as(output).isZero();
        assertThat(output).contains("all equal");
    }

    /**
     * The program of a JVM of its own; it ends with 1 when bytes of one thread are in another
     * thread's run.
     */
    static final class Filling {

        private static final int THREADS = 4;
        private static final int ROUNDS = 20_000;

        public static void main(String[] args) throws Exception {
            BodyMemory memory = new BodyMemory(1 << 20);
            CyclicBarrier begin = new CyclicBarrier(THREADS);
            try (var threads = Executors.newFixedThreadPool(THREADS)) {
                List<Future<?>> all = IntStream.range(0, THREADS)
                        .<Future<?>>mapToObj(mark -> threads.submit(() -> {
                            begin.await();
                            fill(memory, (byte) (mark + 1));
                            return null;
                        }))
                        .toList();
                for (Future<?> each : all) {
                    each.get();
                }
            }
            System.out.println("all equal");
        }

        private static void fill(BodyMemory memory, byte mark) throws IOException {
            byte[] bytes = new byte[700];
            Arrays.fill(bytes, mark);
            ByteBuf direct = Unpooled.directBuffer(bytes.length).writeBytes(bytes);
            byte[] back = new byte[bytes.length];
            for (int round = 0; round < ROUNDS; round++) {
                ByteBuf run = memory.allocate(bytes.length);
                if (run == null) {
                    throw new IllegalStateException("no room");
                }
                switch (round % 3) {
                    case 0 -> run.writeBytes(bytes);
                    case 1 -> run.writeBytes(direct, 0, bytes.length);
                    default -> run.writeBytes(ByteBuffer.wrap(bytes));
                }
                run.getBytes(0, back);
                if (!Arrays.equals(back, bytes)) {
                    throw new IllegalStateException(
                            "round " + round + ": " + mark + " is not " + Arrays.toString(back));
                }
                run.release();
            }
            direct.release();
        }
    }
}
