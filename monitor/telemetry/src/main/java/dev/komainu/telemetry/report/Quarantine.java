package dev.komainu.telemetry.report;

import dev.komainu.telemetry.file.PrivateFiles;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The directory of poisoned batches, kept for inspection: {@code EPOCH-SEQUENCE.batch} as it was
 * sent, {@code EPOCH-SEQUENCE.txt} with the response. Limited in bytes; the oldest are deleted
 * first. Sender thread only.
 */
final class Quarantine {

    private static final Logger LOG = LoggerFactory.getLogger(Quarantine.class);

    private final Path directory;
    private final long limit;

    Quarantine(Path directory, long limit) {
        this.directory = directory;
        this.limit = limit;
    }

    void store(OutgoingBatch batch, String response) {
        if (limit == 0) {
            return;
        }
        String name = batch.id().epoch() + "-" + batch.id().sequence();
        try {
            PrivateFiles.directory(directory, "*.batch", "*.txt");
            PrivateFiles.replace(directory.resolve(name + ".batch"), batch.body());
            PrivateFiles.replace(
                    directory.resolve(name + ".txt"),
                    (batch.id() + "\n" + response + "\n").getBytes(StandardCharsets.UTF_8));
            trim();
        } catch (IOException e) {
            LOG.warn(
                    "Quarantine not writable, batch {} is dropped without a copy: {}",
                    batch.id(),
                    e.toString());
        }
    }

    private void trim() throws IOException {
        List<Path> oldestFirst;
        try (Stream<Path> files = Files.list(directory)) {
            oldestFirst = files.sorted(
                            Comparator.comparingLong(path -> path.toFile().lastModified()))
                    .toList();
        }
        long bytes = 0;
        for (Path path : oldestFirst) {
            bytes += Files.size(path);
        }
        for (Path path : oldestFirst) {
            if (bytes <= limit) {
                return;
            }
            bytes -= Files.size(path);
            Files.delete(path);
        }
    }
}
