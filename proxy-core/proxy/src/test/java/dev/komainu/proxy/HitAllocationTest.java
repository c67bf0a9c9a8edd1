package dev.komainu.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import dev.komainu.intermediary.kit.RawClient;
import dev.komainu.intermediary.kit.ScriptedOrigin;
import io.netty.util.ResourceLeakDetector;
import java.lang.management.ManagementFactory;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The allocation of a hit: it leaves only views of the body for the collector, and this must not
 * grow unnoticed.
 */
class HitAllocationTest {

    /** Measured 40, one view, whatever the length; code that is not compiled yet may need more. */
    private static final long MOST_BYTES_A_HIT = 300;

    private static final int PRACTICE = 4000;
    /** The longest wait: the compilers are slow on a busy machine. */
    private static final int ROUNDS = 400;

    private static final int HITS = 200;

    private static Set<Thread> threads() {
        return new HashSet<>(Thread.getAllStackTraces().keySet());
    }

    @ParameterizedTest
    @ValueSource(ints = {500, 10_000, 100_000})
    void hits_onAKeptConnection_allocateNextToNothing(int length) throws Exception {
        ThreadMXBean counts = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        ResourceLeakDetector.Level watching = ResourceLeakDetector.getLevel();
        // Watching buffers allocates for each of them.
        ResourceLeakDetector.setLevel(ResourceLeakDetector.Level.DISABLED);
        Set<Thread> others = threads();
        try (ScriptedOrigin origin = new ScriptedOrigin();
                ProxyFixture proxy = new ProxyFixture("origin", origin.url(), "workers", "1");
                RawClient client = proxy.client()) {
            origin.ok("/kept", "Cache-Control: max-age=600\r\n", "x".repeat(length));
            for (int i = 0; i < PRACTICE; i++) {
                client.get("/kept");
            }
            Set<Thread> own = threads();
            own.removeAll(others);
            Thread loop = own.stream()
                    .filter(thread ->
                            thread.getName().matches("(epollLoops|multiThreadIoEventLoopGroup)-.*"))
                    .findFirst()
                    .orElseThrow();
            // The minimum of several rounds: in the others the loop also reported its figures of
            // the last second.
            long each = Long.MAX_VALUE;
            for (int round = 0; round < ROUNDS && each > MOST_BYTES_A_HIT; round++) {
                long before = counts.getThreadAllocatedBytes(loop.threadId());
                for (int i = 0; i < HITS; i++) {
                    client.get("/kept");
                }
                each = Math.min(
                        each, (counts.getThreadAllocatedBytes(loop.threadId()) - before) / HITS);
            }
            assertThat(origin.count("/kept")).isEqualTo(1);
            assertThat(each).as("bytes a hit").isBetween(0L, MOST_BYTES_A_HIT);
        } finally {
            ResourceLeakDetector.setLevel(watching);
        }
    }
}
