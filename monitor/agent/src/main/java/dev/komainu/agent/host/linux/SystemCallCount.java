package dev.komainu.agent.host.linux;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A short count of the whole host's system calls. Linux has no such counter; perf_event_open(2) on
 * the tracepoint raw_syscalls:sys_enter counts them, but slows every call on the host by about 0.13
 * µs meanwhile. The count therefore runs for a tenth of a second from time to time, and its rate
 * stands for the time in between. Requires root or CAP_PERFMON, and a mounted tracefs. One thread
 * at a time.
 *
 * <pre>
 *  struct perf_event_attr, first version
 *   0 type   32 bits, 2: tracepoint     4 size   32 bits, 64     8 config 64 bits, the tracepoint's number
 *  16 …      zero: count, sample nothing
 * </pre>
 */
public final class SystemCallCount implements AutoCloseable {

    private static final int PERF_TYPE_TRACEPOINT = 2;
    private static final int ATTRIBUTES_BYTES = 64;
    private static final List<Path> TRACEPOINT = List.of(
            Path.of("/sys/kernel/tracing/events/raw_syscalls/sys_enter/id"),
            Path.of("/sys/kernel/debug/tracing/events/raw_syscalls/sys_enter/id"));
    private static final Path CPUS = Path.of("/sys/devices/system/cpu/online");

    private final MemorySegment attributes = Arena.ofAuto().allocate(ATTRIBUTES_BYTES, 8);
    private final List<Path> tracepoint;
    private int[] counters = {};
    private long startNanos;
    private @Nullable String failureReason;

    public SystemCallCount() {
        this(TRACEPOINT);
    }

    SystemCallCount(List<Path> tracepoint) {
        this.tracepoint = List.copyOf(tracepoint);
    }

    /** Returns the reason why the last {@link #start} failed; null on success. */
    public @Nullable String failureReason() {
        return failureReason;
    }

    /** Starts to count; false when that is not allowed or not possible on this host. */
    public boolean start() {
        close();
        long number = number();
        List<Integer> cpus = number < 0 ? List.of() : cpus(text(CPUS));
        if (number < 0 || cpus.isEmpty() || !LibC.hasSystemCallNumbers()) {
            failureReason =
                    "the tracepoint raw_syscalls:sys_enter cannot be read (expected: root, and tracefs mounted at"
                            + " /sys/kernel/tracing)";
            return false;
        }
        attributes.set(ValueLayout.JAVA_INT, 0, PERF_TYPE_TRACEPOINT);
        attributes.set(ValueLayout.JAVA_INT, 4, ATTRIBUTES_BYTES);
        attributes.set(ValueLayout.JAVA_LONG, 8, number);
        int[] opened = new int[cpus.size()];
        for (int i = 0; i < opened.length; i++) {
            opened[i] = LibC.countEvents(attributes, cpus.get(i));
            if (opened[i] < 0) {
                counters = Arrays.copyOf(opened, i);
                close();
                failureReason =
                        "the kernel refuses to count events (expected: root or CAP_PERFMON)";
                return false;
            }
        }
        counters = opened;
        startNanos = System.nanoTime();
        failureReason = null;
        return true;
    }

    /**
     * Stops counting. Returns calls per second since {@link #start}; null when it did not count.
     */
    public @Nullable Double stop() {
        if (counters.length == 0) {
            return null;
        }
        double seconds = (System.nanoTime() - startNanos) / 1e9;
        long sum = 0;
        for (int counter : counters) {
            sum += LibC.read(counter, attributes, 8) == 8
                    ? attributes.get(ValueLayout.JAVA_LONG, 0)
                    : 0;
        }
        close();
        return seconds > 0 ? sum / seconds : null;
    }

    private long number() {
        for (Path file : tracepoint) {
            Long number = DecimalCounters.of(text(file).strip());
            if (number != null) {
                return number;
            }
        }
        return -1;
    }

    /** Parses {@code 0-3,6}. */
    static List<Integer> cpus(String text) {
        List<Integer> cpus = new ArrayList<>();
        for (String range : text.strip().split(",")) {
            int dash = range.indexOf('-');
            Long first = DecimalCounters.of(dash < 0 ? range : range.substring(0, dash));
            Long last = dash < 0 ? first : DecimalCounters.of(range.substring(dash + 1));
            if (first != null && last != null && first >= 0 && last < 65_536) {
                for (long cpu = first; cpu <= last; cpu++) {
                    cpus.add((int) cpu);
                }
            }
        }
        return cpus;
    }

    private static String text(Path file) {
        try {
            return Files.readString(file, StandardCharsets.ISO_8859_1);
        } catch (IOException e) {
            return "";
        }
    }

    /**
     * Stops counting. The kernel waits until all CPUs have left the tracepoint: some 40 ms, without
     * using CPU.
     */
    @Override
    public void close() {
        for (int counter : counters) {
            LibC.close(counter);
        }
        counters = new int[0];
    }
}
