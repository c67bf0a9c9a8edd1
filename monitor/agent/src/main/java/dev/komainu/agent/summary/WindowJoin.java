package dev.komainu.agent.summary;

import dev.komainu.agent.pages.KnownPages;
import dev.komainu.telemetry.record.RecordSink;
import dev.komainu.telemetry.record.ServiceWindow;
import dev.komainu.telemetry.record.WindowParts;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Join of the windows of several threads into one stream; each thread sees a part of the
 * connections. A window is reported when every thread has passed its end. It equals the window of a
 * single thread, except for the case described at {@link GaugeSteps#highest}.
 *
 * <p>Each thread calls its own {@link Part}; the last one to pass a window's end reports it.
 */
public final class WindowJoin {

    private final RecordSink sink;
    private final KnownPages pages = new KnownPages();
    // Guarded by this.
    private final List<Part> parts = new ArrayList<>();
    private final TreeMap<Long, PendingWindow> waiting = new TreeMap<>();

    /**
     * Creates a join without parts.
     *
     * @param sink receives whole windows in order of time, from any of the threads, one at a time
     */
    public WindowJoin(RecordSink sink) {
        this.sink = sink;
    }

    /**
     * One thread's share of a service's window.
     *
     * @param parts its connections; null when they are not recorded
     */
    record Share(
            ServiceWindow window,
            GaugeSteps.Snapshot open,
            @Nullable WindowParts parts) {}

    private static final class PendingWindow {
        final Map<String, List<Share>> services = new LinkedHashMap<>();
        final long length;
        long captured;
        long dropped;

        PendingWindow(long length) {
            this.length = length;
        }
    }

    /**
     * Returns the part for one more thread; all parts are requested before the first thread begins.
     */
    public synchronized Part part() {
        Part part = new Part();
        parts.add(part);
        return part;
    }

    /** One thread's side of the join. */
    public final class Part {

        /** All windows of this thread before this instant have been received. */
        private long reached = Long.MIN_VALUE;

        private Part() {}

        /**
         * Returns the known pages, shared by the threads: a page that one thread saw may be missed
         * by another.
         */
        KnownPages pages() {
            return pages;
        }

        /** Begins at this instant; there is no window before it. */
        void begin(long from) {
            synchronized (WindowJoin.this) {
                reached = from;
                reportReady();
            }
        }

        void cut(long from, long to, long captured, long dropped, List<Share> shares) {
            synchronized (WindowJoin.this) {
                PendingWindow pending =
                        waiting.computeIfAbsent(from, key -> new PendingWindow(to - from));
                pending.captured += captured;
                pending.dropped += dropped;
                for (Share share : shares) {
                    pending.services
                            .computeIfAbsent(share.window().service(), key -> new ArrayList<>())
                            .add(share);
                }
                reached = to;
                reportReady();
            }
        }

        /** Ends this part: the others no longer wait for it. */
        void end() {
            synchronized (WindowJoin.this) {
                reached = Long.MAX_VALUE;
                reportReady();
            }
        }
    }

    // Under the lock of this.
    private void reportReady() {
        long reached = parts.stream().mapToLong(part -> part.reached).min().orElse(Long.MIN_VALUE);
        while (!waiting.isEmpty() && waiting.firstKey() < reached) {
            Map.Entry<Long, PendingWindow> first = waiting.pollFirstEntry();
            PendingWindow pending = first.getValue();
            pending.services.values().forEach(shares -> {
                WindowParts together =
                        PartJoin.of(shares.stream().map(Share::parts).toList());
                if (together != null) {
                    sink.accept(together);
                }
                sink.accept(joined(first.getKey(), pending, shares));
            });
        }
    }

    private static ServiceWindow joined(long from, PendingWindow pending, List<Share> shares) {
        return WindowSum.of(
                from,
                pending.length,
                shares.stream().map(Share::window).toList(),
                GaugeSteps.highest(shares.stream().map(Share::open).toList()),
                pending.captured,
                pending.dropped);
    }
}
