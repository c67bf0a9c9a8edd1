package dev.komainu.agent.summary;

import dev.komainu.telemetry.record.RecordSink;
import dev.komainu.telemetry.record.ServiceWindow;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * One stream of windows out of those of several threads, each of which sees a part of the
 * connections. A window is told when every thread is beyond it: exactly what one thread would have
 * told, but for what {@link GaugeSteps#highest} says.
 *
 * <p>The threads call from {@link Part}s of their own; the last one to come tells.
 */
public final class WindowJoin {

    private final RecordSink sink;
    private final KnownPages pages = new KnownPages();
    // Guarded by this.
    private final List<Part> parts = new ArrayList<>();
    private final TreeMap<Long, Whole> waiting = new TreeMap<>();

    /** @param sink gets whole windows in order of time, from any of the threads, one at a time */
    public WindowJoin(RecordSink sink) {
        this.sink = sink;
    }

    /** What a thread saw of a service in one window. */
    record Share(ServiceWindow window, GaugeSteps.Taken open) {}

    private static final class Whole {
        final Map<String, List<Share>> services = new LinkedHashMap<>();
        final long length;
        long captured;
        long dropped;

        Whole(long length) {
            this.length = length;
        }
    }

    /** For one more thread; all are asked for before the first begins. */
    public synchronized Part part() {
        Part part = new Part();
        parts.add(part);
        return part;
    }

    /** One thread's end of it. */
    public final class Part {

        /** All windows before are in. */
        private long reached = Long.MIN_VALUE;

        private Part() {}

        /** Shared with the other threads: a page that one saw may be missed by another. */
        KnownPages pages() {
            return pages;
        }

        /** Windows begin at this instant; there will be none before it. */
        void begin(long from) {
            synchronized (WindowJoin.this) {
                reached = from;
                tell();
            }
        }

        void cut(long from, long to, long captured, long dropped, List<Share> shares) {
            synchronized (WindowJoin.this) {
                Whole whole = waiting.computeIfAbsent(from, key -> new Whole(to - from));
                whole.captured += captured;
                whole.dropped += dropped;
                for (Share share : shares) {
                    whole.services
                            .computeIfAbsent(share.window().service(), key -> new ArrayList<>())
                            .add(share);
                }
                reached = to;
                tell();
            }
        }

        /** Nothing follows: the others no longer wait. */
        void end() {
            synchronized (WindowJoin.this) {
                reached = Long.MAX_VALUE;
                tell();
            }
        }
    }

    // Under the lock of this.
    private void tell() {
        long reached = parts.stream().mapToLong(part -> part.reached).min().orElse(Long.MIN_VALUE);
        while (!waiting.isEmpty() && waiting.firstKey() < reached) {
            Map.Entry<Long, Whole> first = waiting.pollFirstEntry();
            Whole whole = first.getValue();
            whole.services
                    .values()
                    .forEach(shares -> sink.accept(joined(first.getKey(), whole, shares)));
        }
    }

    private static ServiceWindow joined(long from, Whole whole, List<Share> shares) {
        return WindowSum.of(
                from,
                whole.length,
                shares.stream().map(Share::window).toList(),
                GaugeSteps.highest(shares.stream().map(Share::open).toList()),
                whole.captured,
                whole.dropped);
    }
}
