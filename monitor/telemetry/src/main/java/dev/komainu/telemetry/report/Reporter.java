package dev.komainu.telemetry.report;

import dev.komainu.telemetry.file.PrivateFiles;
import dev.komainu.telemetry.identity.CentralRoute;
import dev.komainu.telemetry.identity.PartIdentity;
import dev.komainu.telemetry.record.EpochMicros;
import dev.komainu.telemetry.record.RecordSink;
import dev.komainu.telemetry.record.TelemetryRecord;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The sender of a source's records to the central service. No accepted record is lost within the
 * limits: batches have names, are sent again until confirmed, and are kept on disk while the
 * central service does not respond. Dropped records are counted.
 *
 * <p>{@link #accept} may be called from any thread, event loops included: it puts the record into a
 * bounded queue and returns.
 */
public final class Reporter implements RecordSink, AutoCloseable {

    private final ReporterSettings settings;
    private final DropCounts drops = new DropCounts();
    private final ArrayBlockingQueue<TelemetryRecord> queue;
    private final Outbox outbox;
    private final Batcher batcher;
    private final BatchSender sender;
    private final Thread batcherThread;
    private final Thread senderThread;
    private final FileChannel lockFile;
    private volatile boolean closed;

    /**
     * Opens the spool and begins to send, first the batches of an earlier process.
     *
     * @throws IOException when the directory cannot be used, or another process uses it
     */
    public Reporter(ReporterSettings settings) throws IOException {
        this(settings, (PartIdentity) null);
    }

    /**
     * Opens the spool and begins to send with the certificate of an identity.
     *
     * @param identity absent: the token of the settings is sent; must be closed after the reporter
     * @throws IOException when the directory cannot be used, or another process uses it
     */
    public Reporter(ReporterSettings settings, @Nullable PartIdentity identity) throws IOException {
        this(settings, identity, Spool::create, routeOf(settings));
    }

    Reporter(ReporterSettings settings, Spool.Opener opener) throws IOException {
        this(settings, null, opener, routeOf(settings));
    }

    Reporter(ReporterSettings settings, CentralRoute route) throws IOException {
        this(settings, null, Spool::create, route);
    }

    private static CentralRoute routeOf(ReporterSettings settings) {
        return new CentralRoute(settings.central(), settings.source());
    }

    private Reporter(
            ReporterSettings settings,
            @Nullable PartIdentity identity,
            Spool.Opener opener,
            CentralRoute route)
            throws IOException {
        this.settings = settings;
        PrivateFiles.directory(settings.directory(), "lock");
        lockFile = PrivateFiles.lock(
                settings.directory(),
                "reporter directory: " + settings.directory() + " is in use by another process"
                        + " (expected: one directory for each agent or proxy)");
        queue = new ArrayBlockingQueue<>(settings.queueRecords());
        Spool spool = new Spool(
                settings.directory().resolve("spool"), settings.spoolBytes(), drops, opener);
        outbox = new Outbox(spool, settings.memoryBytes(), drops);
        long epoch = EpochMicros.now();
        batcher = new Batcher(settings, epoch, queue, outbox, drops);
        sender = new BatchSender(
                settings,
                outbox,
                new BatchRoute(settings, route, identity),
                new Quarantine(
                        settings.directory().resolve("quarantine"), settings.quarantineBytes()),
                drops,
                identity != null);
        if (identity != null) {
            sender.onRevoked(identity::noteRevoked);
        }
        batcherThread = Thread.ofPlatform().name("komainu-batcher").daemon().start(batcher);
        senderThread = Thread.ofPlatform().name("komainu-sender").daemon().start(sender);
    }

    @Override
    public void accept(TelemetryRecord record) {
        if (closed) {
            drops.add(DropCounts.CLOSED, 1);
        } else if (!queue.offer(record)) {
            drops.add(DropCounts.QUEUE_FULL, 1);
        }
    }

    /**
     * Returns a sink that waits for room in the queue, at most 2 s, before it drops a record: for
     * one thread that may wait, because its input is buffered elsewhere.
     */
    public RecordSink patient() {
        return new PatientSink(queue, this);
    }

    /**
     * Sets the listener for a restart of the central service. The new run may have an empty store,
     * so facts that are sent only rarely (the list of services) must be sent again.
     *
     * @param listener called on the sender's thread, must not block; a second call replaces it
     */
    public void onCentralRestart(Runnable listener) {
        sender.onCentralRestart(listener);
    }

    /**
     * Sets the listener for signed orders in responses. Without a listener they are dropped and
     * sent again later.
     *
     * @param listener called on the sender's thread, must not block; receives orders again until
     *     their outcome has arrived
     */
    public void onOrders(Consumer<List<String>> listener) {
        sender.onOrders(listener);
    }

    /**
     * Sets the listener for the central service's states of the servers that a
     * {@link dev.komainu.telemetry.record.ClusterView} named, by address. Called with every
     * response. An empty map means that the central service knows none of the servers.
     *
     * @param listener called on the sender's thread, must not block
     */
    public void onJudged(Consumer<Map<String, String>> listener) {
        sender.onJudged(listener);
    }

    /**
     * Sets the listener for the services whose windows the central service requests by connection.
     * Called with every response; an empty set means none.
     *
     * @param listener called on the sender's thread, must not block or fail
     */
    public void onDetailed(Consumer<Set<String>> listener) {
        sender.onDetailed(listener);
    }

    /** Returns the dropped records since the start, by reason. */
    public Map<String, Long> drops() {
        return drops.snapshot();
    }

    /** Returns the current status. */
    public ReporterStatus status() {
        return sender.status(queue.size());
    }

    /** Batches the queued records, sends for at most {@code close-wait}, spools the rest. */
    @Override
    public void close() {
        if (closed) {
            return;
        }
        closed = true;
        batcher.stop();
        boolean interrupted = join(batcherThread, 5_000);
        sender.stop(settings.closeWait());
        interrupted |= join(senderThread, settings.closeWait().toMillis() + 200);
        if (senderThread.isAlive()) {
            // The sender waits for a response. The batch stays in the outbox and is spooled under
            // its name.
            senderThread.interrupt();
        }
        outbox.close();
        try {
            lockFile.close();
        } catch (IOException e) {
            // The lock ends with the process at the latest.
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private static boolean join(Thread thread, long millis) {
        try {
            thread.join(millis);
            return false;
        } catch (InterruptedException e) {
            return true;
        }
    }
}
