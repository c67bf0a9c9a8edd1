package dev.komainu.intermediary.upstream;

import java.util.concurrent.atomic.LongAdder;

/**
 * What all event loops together did with one server. Gauges: {@code open} connections, parked ones
 * included, and {@code waiting} requests. Counters: {@code requests} sent; {@code failures}, of
 * those and of attempts to connect; {@code waits} that ended, however they did, and their time;
 * {@code ejections}. All loops add, anybody reads.
 */
final class ServerCounts {

    final LongAdder open = new LongAdder();
    final LongAdder waiting = new LongAdder();
    final LongAdder requests = new LongAdder();
    final LongAdder failures = new LongAdder();
    final LongAdder waits = new LongAdder();
    final LongAdder waitedNanos = new LongAdder();
    final LongAdder ejections = new LongAdder();

    void waitEnded(long nanos) {
        waiting.decrement();
        waits.increment();
        waitedNanos.add(nanos);
    }
}
