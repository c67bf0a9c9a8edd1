package dev.komainu.telemetry.report;

import dev.komainu.telemetry.record.EpochMicros;
import dev.komainu.telemetry.record.RecordSink;
import dev.komainu.telemetry.record.TelemetryRecord;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.function.Consumer;

/**
 * Tells the central service what a source saw. Nothing that was accepted is lost while there is
 * room: batches are named, sent again until confirmed, and kept on disk while nobody answers. What
 * could not be kept is counted.
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
     * Opens the spool and begins to send, first what an earlier process left.
     *
     * @throws IOException when the directory cannot be used, or another process uses it
     */
    public Reporter(ReporterSettings settings) throws IOException {
        this(settings, Spool::create);
    }

    Reporter(ReporterSettings settings, Spool.Opener opener) throws IOException {
        this.settings = settings;
        Files.createDirectories(settings.directory());
        lockFile = lock(settings.directory());
        queue = new ArrayBlockingQueue<>(settings.queueRecords());
        Spool spool = new Spool(
                settings.directory().resolve("spool"), settings.spoolBytes(), drops, opener);
        outbox = new Outbox(spool, settings.memoryBytes(), drops);
        long epoch = EpochMicros.now();
        batcher = new Batcher(settings, epoch, queue, outbox, drops);
        sender = new BatchSender(
                settings,
                outbox,
                new BatchTransport(
                        settings.central(), settings.tokenFile(), settings.requestTimeout()),
                new Quarantine(
                        settings.directory().resolve("quarantine"), settings.quarantineBytes()),
                drops);
        batcherThread = Thread.ofPlatform().name("komainu-batcher").daemon().start(batcher);
        senderThread = Thread.ofPlatform().name("komainu-sender").daemon().start(sender);
    }

    private static FileChannel lock(Path directory) throws IOException {
        FileChannel channel = FileChannel.open(
                directory.resolve("lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        FileLock lock = null;
        try {
            lock = channel.tryLock();
        } catch (OverlappingFileLockException e) {
            // Another reporter of this process holds it: told below like any other holder.
        }
        if (lock == null) {
            channel.close();
            throw new IOException(
                    "reporter directory: " + directory + " is in use by another process"
                            + " (expected: one directory for each agent or proxy)");
        }
        return channel;
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
     * What to do when another run of the central service answers than before: it may have started
     * with an empty store, so facts that are told only once in a while (what services there are)
     * are told again.
     *
     * @param tellAgain called on the sender's thread, must not block; a second call replaces it
     */
    public void onNewCentre(Runnable tellAgain) {
        sender.onNewCentre(tellAgain);
    }

    /**
     * Who takes the signed orders that come with answers; without one they are dropped, to be sent
     * again.
     *
     * @param taker called on the sender's thread, must not block; gets orders again until their
     *     outcome has arrived
     */
    public void onOrders(Consumer<List<String>> taker) {
        sender.onOrders(taker);
    }

    /**
     * Who takes what the centre thinks of the servers that a
     * {@link dev.komainu.telemetry.record.ClusterView} named: state by address. Called with every
     * answer, also with an empty one, which means that none of them is known there.
     *
     * @param taker called on the sender's thread, must not block
     */
    public void onJudged(Consumer<Map<String, String>> taker) {
        sender.onJudged(taker);
    }

    /** Records that will never arrive, by reason, since the start. */
    public Map<String, Long> drops() {
        return drops.snapshot();
    }

    /** How it fares now. */
    public ReporterStatus status() {
        return sender.status(queue.size());
    }

    /** Batches what is queued, sends for at most {@code close-wait}, spools the rest. */
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
            // It waits for an answer: the batch stays in the outbox and is spooled under its name.
            senderThread.interrupt();
        }
        outbox.close();
        try {
            lockFile.close();
        } catch (IOException e) {
            // The lock goes with the process at the latest.
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
