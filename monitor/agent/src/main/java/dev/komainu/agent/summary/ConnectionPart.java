package dev.komainu.agent.summary;

import dev.komainu.telemetry.record.ClientPaths;
import dev.komainu.telemetry.record.ConnectionParts;
import dev.komainu.telemetry.record.PartCounter;
import dev.komainu.telemetry.record.PartTimes;
import java.util.Arrays;

/**
 * One connection's contribution to the current window of a service. Whether it is open and how many
 * requests wait is carried over to the next window.
 */
final class ConnectionPart {

    private static final int FEW = 8;

    final long key;
    private final long[] counters = new long[PartCounter.COUNT];
    /** Cells of distributions and the grid: cell in the upper half, count in the lower one. */
    private long[] cells = new long[FEW];

    private int cellCount;
    /** Microseconds since the beginning of the window × 2 + (1: up). */
    private int[] steps = new int[2];

    private int stepCount;
    private int open;
    private int waiting;
    private long from;
    private long since;

    /**
     * Creates the part of a connection that is not open.
     *
     * @param from beginning of the window
     */
    ConnectionPart(long key, long from) {
        this.key = key;
        this.from = from;
        this.since = from;
    }

    /** Marks the connection as open when the window began. */
    void openAtBegin(boolean isWaiting) {
        open = 1;
        waiting = isWaiting ? 1 : 0;
        counters[PartCounter.OPEN_AT_BEGIN.ordinal()] = 1;
    }

    void add(PartCounter counter, long value) {
        counters[counter.ordinal()] += value;
    }

    void packet(
            boolean isUp,
            int wire,
            int payload,
            int unique,
            boolean retransmission,
            boolean outOfOrder,
            boolean zeroWindow) {
        // The counters of a direction follow each other.
        int first = (isUp ? PartCounter.PACKETS_UP : PartCounter.PACKETS_DOWN).ordinal();
        counters[first]++;
        counters[first + 1] += wire;
        counters[first + 2] += payload;
        counters[first + 3] += unique;
        counters[first + 4] += retransmission ? 1 : 0;
        counters[first + 5] += outOfOrder ? 1 : 0;
        counters[first + 6] += zeroWindow ? 1 : 0;
    }

    /** Adds a value to a distribution. Negative durations are missing samples. */
    void addTime(PartTimes times, long value) {
        if (value >= 0) {
            addCell(times.cellOf(value));
        }
    }

    /** Adds a round trip to the client, and its rate if it carried enough bytes. */
    void addPath(long roundTripMicros, int bytes) {
        addTime(PartTimes.PATH_ROUND_TRIP, Math.max(0, roundTripMicros));
        if (bytes >= ClientPaths.LEAST_BYTES) {
            addTime(PartTimes.PATH_DELIVERY_RATE, ClientPathRecorder.rate(roundTripMicros, bytes));
        }
    }

    void addCell(int cell) {
        if (cellCount == cells.length) {
            combine();
            if (cellCount > cells.length / 2) {
                cells = Arrays.copyOf(cells, cells.length * 2);
            }
        }
        cells[cellCount++] = (long) cell << 32 | 1;
    }

    /** Sorts the cells and adds the counts of equal ones. */
    private void combine() {
        Arrays.sort(cells, 0, cellCount);
        int last = -1;
        for (int i = 0; i < cellCount; i++) {
            if (last >= 0 && cells[last] >>> 32 == cells[i] >>> 32) {
                cells[last] += cells[i] & 0xffff_ffffL;
            } else {
                cells[++last] = cells[i];
            }
        }
        cellCount = last + 1;
    }

    void changeOpen(int by, long micros) {
        settle(micros);
        int before = open;
        open = Math.max(0, open + by);
        if (open != before) {
            step(open > before, micros);
        }
    }

    private void step(boolean up, long micros) {
        int offset = (int) Math.clamp(micros - from, 0, Integer.MAX_VALUE >>> 2);
        // A port used again: the old connection is closed and the new one opened by one packet.
        if (up && stepCount > 0 && steps[stepCount - 1] == offset << 1) {
            stepCount--;
            return;
        }
        if (stepCount == steps.length) {
            steps = Arrays.copyOf(steps, stepCount * 2);
        }
        steps[stepCount++] = offset << 1 | (up ? 1 : 0);
    }

    void changeWaiting(int by, long micros) {
        settle(micros);
        waiting = Math.max(0, waiting + by);
    }

    private void settle(long micros) {
        if (micros > since) {
            counters[PartCounter.OPEN_MICROS.ordinal()] += open * (micros - since);
            counters[PartCounter.WAITING_MICROS.ordinal()] += waiting * (micros - since);
            since = micros;
        }
    }

    /**
     * Writes the part and begins the next window.
     *
     * @return whether the connection continues: it is open, or a request waits
     */
    boolean take(long to, ConnectionParts.Builder parts) {
        settle(to);
        combine();
        int filled = cellCount;
        for (long counter : counters) {
            filled += counter == 0 ? 0 : 1;
        }
        parts.part(key, filled);
        for (int i = 0; i < counters.length; i++) {
            if (counters[i] != 0) {
                parts.cell(i, counters[i]);
            }
        }
        for (int i = 0; i < cellCount; i++) {
            parts.cell((int) (cells[i] >>> 32), cells[i] & 0xffff_ffffL);
        }
        parts.steps(stepCount);
        for (int i = 0; i < stepCount; i++) {
            parts.step(steps[i] >>> 1, (steps[i] & 1) == 1);
        }
        begin(to);
        return open > 0 || waiting > 0;
    }

    private void begin(long micros) {
        Arrays.fill(counters, 0);
        counters[PartCounter.OPEN_AT_BEGIN.ordinal()] = open;
        cellCount = 0;
        if (cells.length > FEW) {
            cells = new long[FEW];
        }
        stepCount = 0;
        from = micros;
        since = micros;
    }
}
