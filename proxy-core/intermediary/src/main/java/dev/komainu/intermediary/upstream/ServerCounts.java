package dev.komainu.intermediary.upstream;

import java.util.concurrent.atomic.LongAdder;

/**
 * The counts of one server over all event loops. Gauges: {@code open} connections, parked ones
 * included, and {@code waiting} requests. Counters: {@code requests} sent; {@code failures} of
 * requests and of connection attempts; {@code waits} that ended, with or without a connection, and
 * their total time; {@code ejections}. All loops add, any thread reads.
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
