package dev.komainu.central.recording;

import dev.komainu.central.recording.RecordedEvent.Accepted;
import dev.komainu.central.recording.RecordedEvent.Ticked;
import dev.komainu.telemetry.record.Batch;
import dev.komainu.telemetry.record.ConnectionRecord;
import dev.komainu.telemetry.record.ProxyExchange;
import dev.komainu.telemetry.record.TelemetryRecord;
import dev.komainu.telemetry.wire.BatchCodec;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.List;

/**
 * A copy of a recording without the records of single connections and exchanges, which judgements
 * do not read; in larger blocks. Belongs to one thread.
 */
public final class WindowCopy implements AutoCloseable {

    private static final long BLOCK_MICROS = 60_000_000;

    private final RecordingFiles files;
    private final RecordingBlock block = new RecordingBlock();
    private long begunMicros = Long.MIN_VALUE;

    /** Creates a copy in a directory. */
    public WindowCopy(Path directory) throws IOException {
        files = new RecordingFiles(directory, Long.MAX_VALUE, () -> null);
    }

    /**
     * Adds an event.
     *
     * @throws UncheckedIOException when the disk refuses
     */
    public void accept(RecordedEvent event) {
        if (begunMicros == Long.MIN_VALUE) {
            begunMicros = event.atMicros();
        }
        switch (event) {
            case Accepted accepted -> {
                Batch batch = accepted.batch();
                List<TelemetryRecord> kept =
                        batch.records().stream().filter(WindowCopy::isJudged).toList();
                // A batch without records still tells that its source is alive.
                block.accepted(
                        event.atMicros(),
                        accepted.repeated(),
                        BatchCodec.encodePlain(new Batch(batch.id(), kept)));
            }
            case Ticked ticked -> block.ticked(ticked.atMicros());
        }
        if (block.isFull() || event.atMicros() - begunMicros >= BLOCK_MICROS) {
            write();
            begunMicros = event.atMicros();
        }
    }

    private static boolean isJudged(TelemetryRecord record) {
        return !(record instanceof ConnectionRecord || record instanceof ProxyExchange);
    }

    private void write() {
        try {
            if (!block.isEmpty()) {
                files.append(block.finish(RecordingBlock.SMALL));
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() throws IOException {
        write();
        files.close();
    }
}
