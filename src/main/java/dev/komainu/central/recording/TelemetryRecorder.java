package dev.komainu.central.recording;

import dev.komainu.central.assessment.Assessment;
import dev.komainu.central.assessment.AssessmentListener;
import dev.komainu.central.ingest.BatchListener;
import dev.komainu.telemetry.record.Batch;
import dev.komainu.telemetry.record.EpochMicros;
import dev.komainu.telemetry.wire.BatchCodec;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The recorder of accepted batches. A batch is encoded on the request's thread and added to a queue
 * that is limited in bytes; one thread compresses and writes. A batch that finds the queue full is
 * not recorded, and counted.
 *
 * <pre>
 * komainu_recording_batches_total{outcome=written|dropped|failed}  dropped: the queue was full; failed: the disk refused
 * komainu_recording_files_deleted_total                            the oldest files, because of the size limit
 * </pre>
 */
public final class TelemetryRecorder implements BatchListener, AssessmentListener, AutoCloseable {

    /** Bytes of batches that may wait for the writer. */
    private static final long MOST_WAITING = 8L << 20;

    /** Milliseconds after which a block is written that is not full: what a kill may lose. */
    private static final long BLOCK_MILLIS = 1_000;

    private static final Logger LOG = LoggerFactory.getLogger(TelemetryRecorder.class);

    /**
     * An event that waits for the writer.
     *
     * @param plain a batch without compression; absent: a tick
     */
    private record Waiting(long atMicros, byte @Nullable [] plain) {

        int bytes() {
            return plain == null ? 0 : plain.length;
        }
    }

    private final Clock clock;
    private final RecordingFiles files;
    private final RepeatedFacts facts = new RepeatedFacts();
    private final Counter written;
    private final Counter dropped;
    private final Counter failed;
    private final Counter deleted;
    private final Thread writer;
    private final ArrayDeque<Waiting> queue = new ArrayDeque<>();
    private final long mostWaiting;
    private long waitingBytes;
    private boolean closing;
    private boolean failing;

    /**
     * Opens a recording, and starts the writer.
     *
     * @param limit bytes of all files together
     * @throws UncheckedIOException when the directory cannot be used
     */
    public TelemetryRecorder(Path directory, long limit, MeterRegistry registry, Clock clock) {
        this(directory, limit, MOST_WAITING, registry, clock);
    }

    TelemetryRecorder(
            Path directory, long limit, long mostWaiting, MeterRegistry registry, Clock clock) {
        this.clock = clock;
        this.mostWaiting = mostWaiting;
        try {
            files = new RecordingFiles(
                    directory, limit, () -> facts.block(EpochMicros.of(clock.instant())));
        } catch (IOException e) {
            throw new UncheckedIOException("komainu.ingest.recording: " + e.getMessage(), e);
        }
        written = registry.counter("komainu.recording.batches", "outcome", "written");
        dropped = registry.counter("komainu.recording.batches", "outcome", "dropped");
        failed = registry.counter("komainu.recording.batches", "outcome", "failed");
        deleted = registry.counter("komainu.recording.files.deleted");
        writer = Thread.ofPlatform().name("recorder").daemon().start(this::write);
    }

    @Override
    public void stored(Batch batch) {
        byte[] plain = BatchCodec.encodePlain(batch);
        facts.note(batch);
        if (!add(EpochMicros.of(clock.instant()), plain)) {
            dropped.increment();
        }
    }

    @Override
    public void assessed(Assessment assessment) {
        boolean unused = add(EpochMicros.of(assessment.at()), null);
    }

    private synchronized boolean add(long atMicros, byte @Nullable [] plain) {
        int bytes = plain == null ? 0 : plain.length;
        if (closing || waitingBytes + bytes > mostWaiting) {
            return false;
        }
        waitingBytes += bytes;
        queue.addLast(new Waiting(atMicros, plain));
        notifyAll();
        return true;
    }

    private void write() {
        RecordingBlock block = new RecordingBlock();
        int batches = 0;
        long openedNanos = System.nanoTime();
        while (true) {
            Waiting next = take(block.isEmpty() ? 0 : Math.max(1, leftMillis(openedNanos)));
            if (next != null) {
                if (block.isEmpty()) {
                    openedNanos = System.nanoTime();
                }
                byte[] plain = next.plain();
                if (plain == null) {
                    block.ticked(next.atMicros());
                } else {
                    block.accepted(next.atMicros(), false, plain);
                    batches++;
                }
            }
            boolean ends = next == null && isEnded();
            if (!block.isEmpty() && (ends || block.isFull() || leftMillis(openedNanos) <= 0)) {
                append(block, batches);
                batches = 0;
            }
            if (ends) {
                return;
            }
        }
    }

    private static long leftMillis(long openedNanos) {
        return BLOCK_MILLIS - (System.nanoTime() - openedNanos) / 1_000_000;
    }

    /**
     * Returns the oldest waiting event; null when there is none within the time, or the recorder
     * closes.
     *
     * @param millis time to wait; 0: until an event comes
     */
    private synchronized @Nullable Waiting take(long millis) {
        long end = System.nanoTime() + millis * 1_000_000;
        while (queue.isEmpty() && !closing) {
            long left = millis == 0 ? 0 : (end - System.nanoTime()) / 1_000_000;
            if (millis != 0 && left <= 0) {
                return null;
            }
            try {
                wait(left);
            } catch (InterruptedException e) {
                closing = true;
            }
        }
        Waiting next = queue.pollFirst();
        if (next != null) {
            waitingBytes -= next.bytes();
        }
        return next;
    }

    private synchronized boolean isEnded() {
        return closing && queue.isEmpty();
    }

    private void append(RecordingBlock block, int batches) {
        long deletedBefore = files.deleted();
        try {
            files.append(block.finish(RecordingBlock.FAST));
            written.increment(batches);
            failing = false;
        } catch (IOException e) {
            failed.increment(batches);
            if (!failing) {
                LOG.warn(
                        "Recording: {}; batches are lost to it until the disk accepts data",
                        e.toString());
            }
            failing = true;
        }
        deleted.increment((double) (files.deleted() - deletedBefore));
    }

    /** Writes what waits, and closes the file. */
    @Override
    public void close() {
        synchronized (this) {
            closing = true;
            notifyAll();
        }
        try {
            writer.join(5_000);
            files.close();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (IOException e) {
            LOG.warn("Recording: {}", e.toString());
        }
    }
}
