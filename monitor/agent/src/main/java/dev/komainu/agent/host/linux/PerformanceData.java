package dev.komainu.agent.host.linux;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The counters that a Java virtual machine publishes in the file {@code hsperfdata_USER/PID}
 * (HotSpot: perfMemory.hpp), which the machine writes as memory and others may read at any time.
 *
 * <pre>
 *   0 0xcafec0c0 (big endian)   4 byte order, 1: little   5 major 2   6 minor   7 accessible
 *   8 used   12 overflow   16 time of the last change 8   24 first entry   28 number of entries
 *  entry: 0 length   4 name   8 length of a vector, 0: one value   12 type J: long, B: byte   13 flags   14 units   15 variability   16 data
 * </pre>
 *
 * Positions in an entry count from its beginning. A malformed file is ordinary: the container of a
 * server may put anything there. What cannot be read is absent.
 */
final class PerformanceData {

    /** Largest file that is read; the machine's default is 32 KB. */
    static final int MOST_BYTES = 64 << 10;

    private static final int MAGIC = 0xcafec0c0;
    private static final int HEADER = 32;
    private static final int ENTRY = 20;
    private static final int MOST_ENTRIES = 4_096;
    private static final int MOST_NAME = 128;
    private static final String COLLECTOR = "sun.gc.collector.";
    private static final int MOST_COLLECTORS = 8;

    private final Map<String, Long> numbers = new HashMap<>();
    private final Map<String, String> texts = new HashMap<>();

    private PerformanceData() {}

    /** Reads a file; null when it is none, is of another version or is not complete yet. */
    static @Nullable PerformanceData parse(byte[] file) {
        if (file.length < HEADER) {
            return null;
        }
        ByteBuffer data = ByteBuffer.wrap(file);
        if (data.getInt(0) != MAGIC || data.get(5) != 2 || data.get(7) != 1) {
            return null;
        }
        data.order(data.get(4) == 1 ? ByteOrder.LITTLE_ENDIAN : ByteOrder.BIG_ENDIAN);
        PerformanceData read = new PerformanceData();
        int entries = Math.min(data.getInt(28), MOST_ENTRIES);
        int at = data.getInt(24);
        for (int i = 0; i < entries && at >= HEADER && at <= file.length - ENTRY; i++) {
            int length = data.getInt(at);
            if (length < ENTRY || length > file.length - at) {
                break;
            }
            read.entry(data, at, length);
            at += length;
        }
        return read;
    }

    private void entry(ByteBuffer data, int at, int length) {
        String name = text(data, at, length, data.getInt(at + 4), MOST_NAME);
        int vector = data.getInt(at + 8);
        int value = data.getInt(at + 16);
        if (!name.startsWith(COLLECTOR) && !name.startsWith("sun.os.hrt.")) {
            return;
        }
        if (data.get(at + 12) == 'J' && vector == 0) {
            if (value >= ENTRY && value <= length - Long.BYTES) {
                numbers.put(name, data.getLong(at + value));
            }
        } else if (data.get(at + 12) == 'B' && vector > 0) {
            texts.put(name, text(data, at, length, value, Math.min(vector, MOST_NAME)));
        }
    }

    /** Returns the text that ends with NUL; empty when it does not lie in the entry. */
    private static String text(ByteBuffer data, int at, int length, int from, int most) {
        if (from < ENTRY || from >= length) {
            return "";
        }
        int end = from;
        while (end < length && end < from + most && data.get(at + end) != 0) {
            end++;
        }
        byte[] bytes = new byte[end - from];
        data.get(at + from, bytes);
        return new String(bytes, StandardCharsets.ISO_8859_1);
    }

    /**
     * Returns the time in which collectors stopped all threads since the machine started, in
     * nanoseconds; -1 when it is not published. Collectors that run beside the program count their
     * cycles under names of their own; these are left out.
     */
    long pauseNanos() {
        long frequency = numbers.getOrDefault("sun.os.hrt.frequency", 0L);
        if (frequency <= 0) {
            return -1;
        }
        double ticks = 0;
        boolean found = false;
        for (int i = 0; i < MOST_COLLECTORS; i++) {
            Long time = numbers.get(COLLECTOR + i + ".time");
            String name = texts.getOrDefault(COLLECTOR + i + ".name", "");
            if (time != null && time >= 0 && !name.contains("cycles")) {
                found = true;
                ticks += time;
            }
        }
        double nanos = ticks * 1e9 / frequency;
        return found && nanos < Long.MAX_VALUE ? (long) nanos : -1;
    }
}
