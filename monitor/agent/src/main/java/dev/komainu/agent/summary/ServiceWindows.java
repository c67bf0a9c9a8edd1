package dev.komainu.agent.summary;

import dev.komainu.agent.connection.ServiceNumbers;
import dev.komainu.agent.connection.tcp.ConnectionListener;
import dev.komainu.agent.packet.PacketSource;
import dev.komainu.telemetry.record.ConnectionRecord;
import dev.komainu.telemetry.record.ConnectionState;
import dev.komainu.telemetry.record.RecordSink;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Cuts time into windows of equal length and keeps one {@link CurrentWindow} for each service.
 * {@link #advance} is told the time before each packet, and where no packet comes: a silent link
 * has windows too. A connection that is a proxy's origin side counts in that window too. Connection
 * records pass through.
 */
final class ServiceWindows implements ConnectionListener {

    /**
     * A jump of the clock over more windows than this is taken for damage: the windows between are
     * left out.
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

    /** @param join where windows go that other threads see parts of; null: this is all there is */
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
     * Whether the window now filling is over at this instant, and those after it are not passed
     * over.
     */
    boolean isNextOver(long micros) {
        return end != UNSET && micros >= end && (micros - end) / length <= MOST_SILENT;
    }

    /** The first instant behind the window now filling, once there is one. */
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

    /** Nothing follows: the window now filling is written as it is. */
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
        for (int each = service;
                each != ServiceNumbers.UNWATCHED;
                each = ServiceNumbers.rest(each)) {
            window(services.first(each)).opened(micros);
        }
    }

    @Override
    public void synReceived(int service, long micros) {
        for (int each = service;
                each != ServiceNumbers.UNWATCHED;
                each = ServiceNumbers.rest(each)) {
            window(services.first(each)).synReceived();
        }
    }

    @Override
    public void paused(int service, long micros, int requests) {
        for (int each = service;
                each != ServiceNumbers.UNWATCHED;
                each = ServiceNumbers.rest(each)) {
            window(services.first(each)).paused(micros, requests);
        }
    }

    @Override
    public void resumed(int service, long micros, int requests) {
        for (int each = service;
                each != ServiceNumbers.UNWATCHED;
                each = ServiceNumbers.rest(each)) {
            window(services.first(each)).resumed(micros, requests);
        }
    }

    @Override
    public void synRepeated(int service, long micros) {
        for (int each = service;
                each != ServiceNumbers.UNWATCHED;
                each = ServiceNumbers.rest(each)) {
            window(services.first(each)).synRepeated();
        }
    }

    @Override
    public void handshakeCompleted(
            int service, long micros, long serverRttMicros, long clientRttMicros) {
        for (int each = service;
                each != ServiceNumbers.UNWATCHED;
                each = ServiceNumbers.rest(each)) {
            window(services.first(each)).handshakeCompleted(serverRttMicros, clientRttMicros);
        }
    }

    @Override
    public void acknowledged(int service, long micros, long acknowledgementMicros) {
        for (int each = service;
                each != ServiceNumbers.UNWATCHED;
                each = ServiceNumbers.rest(each)) {
            window(services.first(each)).acknowledged(acknowledgementMicros);
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
        for (int each = service;
                each != ServiceNumbers.UNWATCHED;
                each = ServiceNumbers.rest(each)) {
            window(services.first(each))
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
    public void unseen(int service, long micros, int gaps) {
        for (int each = service;
                each != ServiceNumbers.UNWATCHED;
                each = ServiceNumbers.rest(each)) {
            window(services.first(each)).unseen(gaps);
        }
    }

    @Override
    public void requested(int service, long micros) {
        for (int each = service;
                each != ServiceNumbers.UNWATCHED;
                each = ServiceNumbers.rest(each)) {
            window(services.first(each)).requested(micros);
        }
    }

    @Override
    public void responseStarted(int service, long micros, long responseMicros, long thinkMicros) {
        for (int each = service;
                each != ServiceNumbers.UNWATCHED;
                each = ServiceNumbers.rest(each)) {
            window(services.first(each)).responseStarted(micros, responseMicros, thinkMicros);
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
        for (int each = service;
                each != ServiceNumbers.UNWATCHED;
                each = ServiceNumbers.rest(each)) {
            window(services.first(each))
                    .exchangeEnded(micros, answered, status, responseMicros, transferMicros);
        }
    }

    @Override
    public void unanswered(int service, long micros, boolean reset) {
        for (int each = service;
                each != ServiceNumbers.UNWATCHED;
                each = ServiceNumbers.rest(each)) {
            window(services.first(each)).failures().unanswered(reset);
        }
    }

    @Override
    public void deliberatelyUnavailable(int service, long micros) {
        for (int each = service;
                each != ServiceNumbers.UNWATCHED;
                each = ServiceNumbers.rest(each)) {
            window(services.first(each)).failures().deliberatelyUnavailable();
        }
    }

    @Override
    public void page(int service, long micros, long path, boolean found) {
        for (int each = service;
                each != ServiceNumbers.UNWATCHED;
                each = ServiceNumbers.rest(each)) {
            window(services.first(each)).page(micros, path, found);
        }
    }

    @Override
    public void handshakeBegan(int service, long micros) {
        for (int each = service;
                each != ServiceNumbers.UNWATCHED;
                each = ServiceNumbers.rest(each)) {
            window(services.first(each)).failures().handshakeBegan();
        }
    }

    @Override
    public void handshakeFailed(int service, long micros) {
        for (int each = service;
                each != ServiceNumbers.UNWATCHED;
                each = ServiceNumbers.rest(each)) {
            window(services.first(each)).failures().handshakeFailed();
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
        for (int each = service;
                each != ServiceNumbers.UNWATCHED;
                each = ServiceNumbers.rest(each)) {
            window(services.first(each)).closed(micros, state, durationMicros, timedOut, paused);
        }
    }

    @Override
    public void finished(ConnectionRecord record) {
        sink.accept(record);
    }
}
