package dev.komainu.agent.order;

import dev.komainu.telemetry.file.PrivateFiles;
import dev.komainu.telemetry.record.EpochMicros;
import dev.komainu.telemetry.record.Order;
import dev.komainu.telemetry.record.OrderOutcome;
import dev.komainu.telemetry.wire.MalformedBatchException;
import dev.komainu.telemetry.wire.RecordCodec;
import java.io.IOException;
import java.io.StringReader;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Properties;
import org.jspecify.annotations.Nullable;

/**
 * The journal of orders on disk, so that no order is carried out twice and each can be undone, also
 * after a restart of the agent.
 *
 * <pre>
 *   ID.begun     the planned change: file, SHA-256 of the new content, value before; written first
 *   ID.backup    the original file, byte for byte
 *   ID.outcome   the outcome as a record; an order without this file was interrupted
 *   epoch        the newest accepted epoch ({@link NewestEpoch})
 * </pre>
 *
 * The orders' thread only.
 */
final class OrderJournal {

    /**
     * Number of orders whose outcomes and backups are kept. Older orders have expired
     * ({@link OrderCheck}). More are kept while they might still be valid: an order that is no
     * longer in the journal would be carried out again.
     */
    private static final int MAX_ORDERS = 500;

    private final Path directory;

    OrderJournal(Path directory) throws IOException {
        this.directory = directory;
        // Backups of configurations may contain secrets.
        PrivateFiles.directory(directory, "*.begun", "*.backup", "*.outcome", NewestEpoch.FILE);
    }

    /**
     * The planned change of an order.
     *
     * @param service id of the server
     * @param setting name of the setting
     * @param file the file to replace; absent when only the kernel's value is set
     * @param hash SHA-256 of the new content
     * @param before the kernel's value before; absent when only a file is changed
     * @param then name of the {@link Order.Then}
     * @param atMicros start of the order
     */
    record Entry(
            String service,
            String setting,
            @Nullable Path file,
            @Nullable String hash,
            @Nullable String before,
            String then,
            long atMicros) {}

    boolean contains(String id) {
        return Files.exists(directory.resolve(id + ".begun"))
                || Files.exists(directory.resolve(id + ".outcome"));
    }

    void begin(Order order, Entry entry, byte @Nullable [] backup) throws IOException {
        if (backup != null) {
            write(order.id() + ".backup", backup);
        }
        Properties properties = new Properties();
        properties.setProperty("service", entry.service());
        properties.setProperty("setting", entry.setting());
        properties.setProperty("then", entry.then());
        properties.setProperty("at", Long.toString(entry.atMicros()));
        if (entry.file() != null && entry.hash() != null) {
            properties.setProperty("file", entry.file().toString());
            properties.setProperty("hash", entry.hash());
        }
        if (entry.before() != null) {
            properties.setProperty("before", entry.before());
        }
        StringWriter text = new StringWriter();
        properties.store(text, null);
        write(order.id() + ".begun", text.toString().getBytes(StandardCharsets.UTF_8));
    }

    @Nullable
    Entry entry(String id) throws IOException {
        Path file = directory.resolve(id + ".begun");
        if (!Files.exists(file)) {
            return null;
        }
        Properties properties = new Properties();
        properties.load(new StringReader(Files.readString(file)));
        String path = properties.getProperty("file");
        return new Entry(
                properties.getProperty("service", ""),
                properties.getProperty("setting", ""),
                path == null ? null : Path.of(path),
                properties.getProperty("hash"),
                properties.getProperty("before"),
                properties.getProperty("then", "NOTHING"),
                Long.parseLong(properties.getProperty("at", "0")));
    }

    /** Returns the original file; null when the order created the file. */
    byte @Nullable [] backup(String id) throws IOException {
        Path file = directory.resolve(id + ".backup");
        return Files.exists(file) ? Files.readAllBytes(file) : null;
    }

    void end(OrderOutcome outcome) throws IOException {
        write(outcome.order() + ".outcome", RecordCodec.encode(outcome));
        removeOldest();
    }

    @Nullable
    OrderOutcome outcome(String id) throws IOException {
        Path file = directory.resolve(id + ".outcome");
        if (!Files.exists(file)) {
            return null;
        }
        try {
            return RecordCodec.decode(Files.readAllBytes(file)).orElse(null)
                            instanceof OrderOutcome outcome
                    ? outcome
                    : null;
        } catch (MalformedBatchException e) {
            return null;
        }
    }

    /** Returns the orders that were begun and never ended, because the agent ended. */
    List<String> interrupted() throws IOException {
        List<String> ids = new ArrayList<>();
        for (Path file : files("*.begun")) {
            String id = file.getFileName().toString().replace(".begun", "");
            if (!Files.exists(directory.resolve(id + ".outcome"))) {
                ids.add(id);
            }
        }
        return ids;
    }

    private void removeOldest() throws IOException {
        List<Path> outcomes = files("*.outcome");
        if (outcomes.size() <= MAX_ORDERS) {
            return;
        }
        outcomes.sort(Comparator.comparing(file -> file.toFile().lastModified()));
        // The file times come from the clock. If the clock was set back since the other files were
        // written, this file is the oldest.
        long valid = (EpochMicros.now() - OrderCheck.LONGEST_LIFE_MICROS - OrderCheck.SKEW_MICROS)
                / 1_000;
        for (Path file : outcomes.subList(0, outcomes.size() - MAX_ORDERS)) {
            if (file.toFile().lastModified() >= valid) {
                break;
            }
            String id = file.getFileName().toString().replace(".outcome", "");
            for (String kind : List.of(".backup", ".begun", ".outcome")) {
                Files.deleteIfExists(directory.resolve(id + kind));
            }
        }
    }

    private List<Path> files(String pattern) throws IOException {
        List<Path> files = new ArrayList<>();
        try (DirectoryStream<Path> found = Files.newDirectoryStream(directory, pattern)) {
            found.forEach(files::add);
        }
        return files;
    }

    private void write(String name, byte[] content) throws IOException {
        PrivateFiles.replace(directory.resolve(name), content);
    }
}
