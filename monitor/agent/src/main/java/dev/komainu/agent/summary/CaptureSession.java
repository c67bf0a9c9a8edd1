package dev.komainu.agent.summary;

import dev.komainu.agent.connection.AnalyzerConfig;
import dev.komainu.agent.connection.ConnectionAnalyzer;
import dev.komainu.agent.connection.ServiceNames;
import dev.komainu.agent.connection.ServiceNumbers;
import dev.komainu.agent.connection.tcp.AnalyzerCounts;
import dev.komainu.agent.connection.tcp.ConnectionListener;
import dev.komainu.agent.packet.DuplicateFilter;
import dev.komainu.agent.packet.FrameDecoder;
import dev.komainu.agent.packet.MalformedCaptureException;
import dev.komainu.agent.packet.PacketSource;
import dev.komainu.agent.packet.SegmentSink;
import dev.komainu.agent.packet.TcpSegment;
import dev.komainu.telemetry.record.ConnectionRecord;
import dev.komainu.telemetry.record.RecordSink;
import dev.komainu.telemetry.record.SourceStatus;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One run of ENMA: source → decoder → analyzer → windows → records. {@link #run} occupies the
 * calling thread until the source ends; all work is done on that thread.
 */
public final class CaptureSession implements AutoCloseable {

    private final PacketSource source;
    private final ConnectionAnalyzer analyzer;
    private final FrameDecoder decoder;
    private final @Nullable ServiceWindows windows;
    private final @Nullable DuplicateFilter duplicates;

    /**
     * Creates a session that is not running.
     *
     * @param window length of the windows, a whole number of milliseconds; null for none
     * @param records receives connection records and windows, on the thread of {@link #run}
     */
    public CaptureSession(
            PacketSource source,
            AnalyzerConfig config,
            ServiceNames names,
            @Nullable Duration window,
            RecordSink records) {
        this(source, config, names, window, records, null);
    }

    /**
     * Creates a session that is not running.
     *
     * @param join receives the windows when other threads see other connections of the same
     *     services; connection records still go to {@code records}. Null: windows go to
     *     {@code records}, too
     */
    public CaptureSession(
            PacketSource source,
            AnalyzerConfig config,
            ServiceNames names,
            @Nullable Duration window,
            RecordSink records,
            WindowJoin.@Nullable Part join) {
        this(source, config, names, window, records, join, Set::of);
    }

    /**
     * Creates a session that is not running.
     *
     * @param detailed services whose windows are requested by connection now; called once for each
     *     window
     */
    public CaptureSession(
            PacketSource source,
            AnalyzerConfig config,
            ServiceNames names,
            @Nullable Duration window,
            RecordSink records,
            WindowJoin.@Nullable Part join,
            Supplier<Set<String>> detailed) {
        this.source = source;
        ServiceNumbers services = new ServiceNumbers(names);
        if (window == null) {
            this.windows = null;
            this.analyzer = new ConnectionAnalyzer(config, services, recordsTo(records));
        } else {
            if (window.toMillis() < 1) {
                throw new IllegalArgumentException(
                        "window: " + window + " (expected: at least 1 ms)");
            }
            this.windows =
                    new ServiceWindows(services, source, records, window.toMillis() * 1_000, join);
            this.analyzer = new ConnectionAnalyzer(config, services, windows);
            windows.recordBy(analyzer, detailed);
        }
        SegmentSink segments = windows == null ? analyzer : new AdvancingSink(analyzer, windows);
        this.duplicates = source.mayRepeat() ? new DuplicateFilter(segments) : null;
        this.decoder = new FrameDecoder(duplicates == null ? segments : duplicates);
    }

    /** The sink that moves connections and windows when time passes without packets. */
    private record AdvancingSink(ConnectionAnalyzer analyzer, ServiceWindows windows)
            implements SegmentSink {
        @Override
        public void segment(TcpSegment segment) {
            advanceTo(segment.micros);
            analyzer.segment(segment);
        }

        @Override
        public void idle(long micros) {
            advanceTo(micros);
            analyzer.idle(micros);
        }

        /**
         * Advances the connections to the end of a window before the window itself: a connection
         * that ends by silence counts for the window in which it ends.
         */
        private void advanceTo(long micros) {
            while (windows.isNextOver(micros)) {
                analyzer.idle(windows.end() - 1);
                windows.advance(windows.end());
            }
            windows.advance(micros);
        }
    }

    private static ConnectionListener recordsTo(RecordSink records) {
        return new ConnectionListener() {
            @Override
            public void finished(ConnectionRecord record) {
                records.accept(record);
            }
        };
    }

    /**
     * Reads until the source ends or {@link #stop}; then writes the open connections.
     *
     * @throws MalformedCaptureException when a file is broken; everything before the broken byte
     *     was written
     */
    public void run() throws IOException, MalformedCaptureException {
        try {
            source.run(decoder);
        } finally {
            analyzer.flush();
            if (windows != null) {
                windows.flush();
            }
        }
    }

    /** Makes {@link #run} return soon. Any thread. */
    public void stop() {
        source.stop();
    }

    /** Returns the number of frames with this outcome; a recent value. */
    public long frames(FrameDecoder.Outcome outcome) {
        return decoder.count(outcome);
    }

    /**
     * Returns the counts of packets and state left out so far, by reason; a recent value. Any
     * thread.
     */
    public List<SourceStatus.Drops> drops() {
        AnalyzerCounts counts = analyzer.counts();
        List<SourceStatus.Drops> drops = new ArrayList<>();
        add(drops, "kernel-drop", source.dropped());
        add(drops, "seen-twice", duplicates == null ? 0 : duplicates.count());
        add(drops, "packet-cut", decoder.count(FrameDecoder.Outcome.CUT));
        add(drops, "packet-malformed", decoder.count(FrameDecoder.Outcome.MALFORMED));
        add(drops, "later-fragment", decoder.count(FrameDecoder.Outcome.LATER_FRAGMENT));
        add(drops, "connection-evicted", counts.evicted());
        add(drops, "stray-packet", counts.strays());
        add(drops, "wild-sequence", counts.wild());
        add(drops, "unseen-segment", counts.unseen());
        add(drops, "gap-forgotten", counts.forgottenGaps());
        add(drops, "stream-bytes-not-held", counts.notHeld());
        add(drops, "exchange-forgotten", counts.forgottenExchanges());
        return drops;
    }

    private static void add(List<SourceStatus.Drops> drops, String reason, long count) {
        if (count > 0) {
            drops.add(new SourceStatus.Drops(reason, count));
        }
    }

    @Override
    public void close() throws IOException {
        source.close();
    }
}
