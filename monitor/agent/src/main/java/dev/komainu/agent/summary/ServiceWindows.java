package dev.komainu.agent.summary;

import dev.komainu.agent.connection.ConnectionKeys;
import dev.komainu.agent.connection.ServiceNumbers;
import dev.komainu.agent.connection.tcp.ConnectionListener;
import dev.komainu.agent.packet.PacketSource;
import dev.komainu.agent.pages.KnownPages;
import dev.komainu.telemetry.record.ConnectionRecord;
import dev.komainu.telemetry.record.ConnectionState;
import dev.komainu.telemetry.record.PartCounter;
import dev.komainu.telemetry.record.RecordSink;
import dev.komainu.telemetry.record.WindowParts;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Windows of equal length, one {@link CurrentWindow} for each service. {@link #advance} receives
 * the time before each packet and also without packets: a silent link has windows too. A connection
 * of a proxy's origin side also counts in the window of that side. Connection records pass through.
 */
final class ServiceWindows implements ConnectionListener {

    /**
     * Largest jump of the clock, in windows. A larger one is taken for damage, and the windows
     * between are left out.
     */
    private static final long MOST_SILENT = 100_000;

    private static final long UNSET = Long.MIN_VALUE;

    private final ServiceNumbers services;
    private final PacketSource source;
    private final RecordSink sink;
    private final long length;
    private final WindowJoin.@Nullable Part join;
    private final KnownPages pages;
    private final List<@Nullable CurrentWindow> windows = new ArrayList<>();
    private long from = UNSET;
    private long end = UNSET;
    private long capturedBefore;
    private long droppedBefore;
    private @Nullable ConnectionKeys connections;
    private Supplier<Set<String>> detailed = Set::of;

    /**
     * Creates windows that have not begun.
     *
     * @param join receives windows of which other threads see parts; null: this thread sees all
     *     connections
     */
    ServiceWindows(
            ServiceNumbers services,
            PacketSource source,
            RecordSink sink,
            long lengthMicros,
            WindowJoin.@Nullable Part join) {
        this.join = join;
        this.pages = join == null ? new KnownPages() : join.pages();
        this.services = services;
        this.source = source;
        this.sink = sink;
        this.length = lengthMicros;
    }

    /**
     * Reports whether the current window is over at this instant and the windows after it are not
     * skipped.
     */
    boolean isNextOver(long micros) {
        return end != UNSET && micros >= end && (micros - end) / length <= MOST_SILENT;
    }

    /**
     * Returns the first instant after the current window; {@link Long#MAX_VALUE} before the first
     * one.
     */
    long end() {
        return end;
    }

    /** Ends the windows that are over at this instant. */
    void advance(long micros) {
        if (micros < end) {
            return;
        }
        if (end == UNSET) {
            begin(micros);
            return;
        }
        if ((micros - end) / length > MOST_SILENT) {
            cut();
            begin(micros);
            return;
        }
        while (micros >= end) {
            cut();
        }
    }

    /** Writes the current window as it is: no packet follows. */
    void flush() {
        if (end != UNSET) {
            cut();
        }
        if (join != null) {
            join.end();
        }
    }

    private void begin(long micros) {
        from = Math.floorDiv(micros, length) * length;
        end = from + length;
        windows.replaceAll(window -> null);
        if (join != null) {
            join.begin(from);
        }
    }

    private void cut() {
        services.refresh();
        long captured = source.delivered();
        long dropped = source.dropped();
        List<WindowJoin.Share> shares = join == null ? List.of() : new ArrayList<>();
        for (int service = 1; service < services.count(); service++) {
            CurrentWindow window = window(service);
            if (!services.isAlways(service) && window.isEmpty() && services.hasAlways()) {
                windows.set(service, null);
            } else if (join == null) {
                WindowParts parts = window.takeParts(end);
                if (parts != null) {
                    sink.accept(parts);
                }
                sink.accept(
                        window.take(from, end, captured - capturedBefore, dropped - droppedBefore));
            } else {
                shares.add(window.share(from, end));
            }
        }
        if (join != null) {
            join.cut(from, end, captured - capturedBefore, dropped - droppedBefore, shares);
        }
        capturedBefore = captured;
        droppedBefore = dropped;
        from = end;
        end += length;
        requestParts();
    }

    /** Begins and ends recording by connection, as requested for the window that begins now. */
    private void requestParts() {
        ConnectionKeys keys = connections;
        if (keys == null) {
            return;
        }
        Set<String> requested = detailed.get();
        boolean needOpen = false;
        for (int service = 1; service < windows.size(); service++) {
            CurrentWindow window = windows.get(service);
            if (window != null) {
                String name = services.name(service);
                boolean wanted = name != null && requested.contains(name);
                if (wanted != (window.parts() != null)) {
                    window.record(wanted ? new PartRecorder(keys, from) : null);
                }
                PartRecorder recorder = window.parts();
                needOpen |= recorder != null && recorder.needsOpen();
            }
        }
        if (needOpen) {
            addOpen(keys);
        }
    }

    private void addOpen(ConnectionKeys keys) {
        keys.openConnections((connection, key, waiting) -> {
            for (int remaining = connection;
                    remaining != ServiceNumbers.UNWATCHED;
                    remaining = ServiceNumbers.rest(remaining)) {
                PartRecorder recorder = window(services.first(remaining)).parts();
                if (recorder != null && recorder.needsOpen()) {
                    recorder.open(key, waiting);
                }
            }
        });
        for (CurrentWindow window : windows) {
            PartRecorder recorder = window == null ? null : window.parts();
            if (recorder != null) {
                recorder.begin();
            }
        }
    }

    /**
     * Records by connection from the next window on.
     *
     * @param detailed services that are requested by connection now
     */
    void recordBy(ConnectionKeys connections, Supplier<Set<String>> detailed) {
        this.connections = connections;
        this.detailed = detailed;
    }

    private CurrentWindow window(int service) {
        while (windows.size() <= service) {
            windows.add(null);
        }
        CurrentWindow window = windows.get(service);
        if (window == null) {
            String name = services.name(service);
            String id = name == null ? "" : name;
            window = new CurrentWindow(id, from, pages.of(id), join != null);
            windows.set(service, window);
        }
        return window;
    }

    @Override
    public void opened(int service, long micros) {
        for (int remaining = service;
                remaining != ServiceNumbers.UNWATCHED;
                remaining = ServiceNumbers.rest(remaining)) {
            window(services.first(remaining)).opened(micros);
        }
    }

    @Override
    public void synReceived(int service, long micros) {
        for (int remaining = service;
                remaining != ServiceNumbers.UNWATCHED;
                remaining = ServiceNumbers.rest(remaining)) {
            window(services.first(remaining)).synReceived();
        }
    }

    @Override
    public void paused(int service, long micros, int requests) {
        for (int remaining = service;
                remaining != ServiceNumbers.UNWATCHED;
                remaining = ServiceNumbers.rest(remaining)) {
            window(services.first(remaining)).paused(micros, requests);
        }
    }

    @Override
    public void resumed(int service, long micros, int requests) {
        for (int remaining = service;
                remaining != ServiceNumbers.UNWATCHED;
                remaining = ServiceNumbers.rest(remaining)) {
            window(services.first(remaining)).resumed(micros, requests);
        }
    }

    @Override
    public void synRepeated(int service, long micros) {
        for (int remaining = service;
                remaining != ServiceNumbers.UNWATCHED;
                remaining = ServiceNumbers.rest(remaining)) {
            window(services.first(remaining)).synRepeated();
        }
    }

    @Override
    public void handshakeCompleted(
            int service, long micros, long serverRttMicros, long clientRttMicros) {
        for (int remaining = service;
                remaining != ServiceNumbers.UNWATCHED;
                remaining = ServiceNumbers.rest(remaining)) {
            window(services.first(remaining)).handshakeCompleted(serverRttMicros, clientRttMicros);
        }
    }

    @Override
    public void acknowledged(int service, long micros, long acknowledgementMicros) {
        for (int remaining = service;
                remaining != ServiceNumbers.UNWATCHED;
                remaining = ServiceNumbers.rest(remaining)) {
            window(services.first(remaining)).acknowledged(acknowledgementMicros);
        }
    }

    @Override
    public void packet(
            int service,
            long micros,
            boolean up,
            int wireBytes,
            int payloadBytes,
            int unique,
            boolean retransmission,
            boolean outOfOrder,
            boolean zeroWindow) {
        for (int remaining = service;
                remaining != ServiceNumbers.UNWATCHED;
                remaining = ServiceNumbers.rest(remaining)) {
            window(services.first(remaining))
                    .packet(
                            up,
                            wireBytes,
                            payloadBytes,
                            unique,
                            retransmission,
                            outOfOrder,
                            zeroWindow);
        }
    }

    @Override
    public void clientSending(int service, long micros) {
        for (int remaining = service;
                remaining != ServiceNumbers.UNWATCHED;
                remaining = ServiceNumbers.rest(remaining)) {
            CurrentWindow window = window(services.first(remaining));
            window.clientPaths().sending();
            window.countInPart(PartCounter.SENDING_CONNECTIONS);
        }
    }

    @Override
    public void clientRetransmitting(int service, long micros) {
        for (int remaining = service;
                remaining != ServiceNumbers.UNWATCHED;
                remaining = ServiceNumbers.rest(remaining)) {
            CurrentWindow window = window(services.first(remaining));
            window.clientPaths().retransmitting();
            window.countInPart(PartCounter.RETRANSMITTING_CONNECTIONS);
        }
    }

    @Override
    public void clientRoundTrip(int service, long micros, long roundTripMicros, int bytes) {
        for (int remaining = service;
                remaining != ServiceNumbers.UNWATCHED;
                remaining = ServiceNumbers.rest(remaining)) {
            CurrentWindow window = window(services.first(remaining));
            window.clientPaths().roundTrip(roundTripMicros, bytes);
            ConnectionPart part = window.part();
            if (part != null) {
                part.addPath(roundTripMicros, bytes);
            }
        }
    }

    @Override
    public void unseen(int service, long micros, int gaps) {
        for (int remaining = service;
                remaining != ServiceNumbers.UNWATCHED;
                remaining = ServiceNumbers.rest(remaining)) {
            window(services.first(remaining)).unseen(gaps);
        }
    }

    @Override
    public void requested(int service, long micros) {
        for (int remaining = service;
                remaining != ServiceNumbers.UNWATCHED;
                remaining = ServiceNumbers.rest(remaining)) {
            window(services.first(remaining)).requested(micros);
        }
    }

    @Override
    public void responseStarted(int service, long micros, long responseMicros, long thinkMicros) {
        for (int remaining = service;
                remaining != ServiceNumbers.UNWATCHED;
                remaining = ServiceNumbers.rest(remaining)) {
            window(services.first(remaining)).responseStarted(micros, responseMicros, thinkMicros);
        }
    }

    @Override
    public void exchangeEnded(
            int service,
            long micros,
            boolean answered,
            int status,
            long responseMicros,
            long transferMicros) {
        for (int remaining = service;
                remaining != ServiceNumbers.UNWATCHED;
                remaining = ServiceNumbers.rest(remaining)) {
            window(services.first(remaining))
                    .exchangeEnded(micros, answered, status, responseMicros, transferMicros);
        }
    }

    @Override
    public void unanswered(int service, long micros, boolean reset) {
        for (int remaining = service;
                remaining != ServiceNumbers.UNWATCHED;
                remaining = ServiceNumbers.rest(remaining)) {
            CurrentWindow window = window(services.first(remaining));
            window.failures().unanswered(reset);
            window.countInPart(
                    reset ? PartCounter.RESET_UNANSWERED : PartCounter.CLOSED_UNANSWERED);
        }
    }

    @Override
    public void deliberatelyUnavailable(int service, long micros) {
        for (int remaining = service;
                remaining != ServiceNumbers.UNWATCHED;
                remaining = ServiceNumbers.rest(remaining)) {
            CurrentWindow window = window(services.first(remaining));
            window.failures().deliberatelyUnavailable();
            window.countInPart(PartCounter.DELIBERATE_UNAVAILABLE);
        }
    }

    @Override
    public void page(int service, long micros, long path, boolean found) {
        for (int remaining = service;
                remaining != ServiceNumbers.UNWATCHED;
                remaining = ServiceNumbers.rest(remaining)) {
            window(services.first(remaining)).page(micros, path, found);
        }
    }

    @Override
    public void handshakeBegan(int service, long micros) {
        for (int remaining = service;
                remaining != ServiceNumbers.UNWATCHED;
                remaining = ServiceNumbers.rest(remaining)) {
            CurrentWindow window = window(services.first(remaining));
            window.failures().handshakeBegan();
            window.countInPart(PartCounter.HANDSHAKES);
        }
    }

    @Override
    public void handshakeFailed(int service, long micros) {
        for (int remaining = service;
                remaining != ServiceNumbers.UNWATCHED;
                remaining = ServiceNumbers.rest(remaining)) {
            CurrentWindow window = window(services.first(remaining));
            window.failures().handshakeFailed();
            window.countInPart(PartCounter.FAILED_HANDSHAKES);
        }
    }

    @Override
    public void closed(
            int service,
            long micros,
            ConnectionState state,
            long durationMicros,
            boolean timedOut,
            boolean paused) {
        for (int remaining = service;
                remaining != ServiceNumbers.UNWATCHED;
                remaining = ServiceNumbers.rest(remaining)) {
            window(services.first(remaining))
                    .closed(micros, state, durationMicros, timedOut, paused);
        }
    }

    @Override
    public void finished(ConnectionRecord record) {
        sink.accept(record);
    }
}
