package dev.komainu.agent.order;

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
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Properties;
import org.jspecify.annotations.Nullable;

/**
 * What was done, on disk, so that no order is carried out twice and each can be undone, also after
 * a restart of the agent.
 *
 * <pre>
 *   ID.begun     what is about to be replaced: file, SHA-256 of the new content, value before; written first
 *   ID.backup    the file as it was, byte for byte
 *   ID.outcome   the outcome as a record; an order without one was interrupted
 * </pre>
 *
 * The orders' thread only.
 */
final class OrderJournal {

    /**
     * Older orders are void anyway ({@link OrderCheck}); their backups are kept as long as so many
     * orders are remembered. More are while they might be valid: an order that is forgotten would
     * be carried out again.
     */
    private static final int MOST = 500;

    private final Path directory;

    OrderJournal(Path directory) throws IOException {
        this.directory = directory;
        Files.createDirectories(directory);
        if (Files.getFileStore(directory).supportsFileAttributeView("posix")) {
            // Backups of configurations may hold secrets.
            Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwx------"));
        }
    }

    /**
     * What an order was about to do.
     *
     * @param service for which server
     * @param setting which setting
     * @param file what is replaced; absent where only the kernel was told
     * @param hash SHA-256 of what the order put there
     * @param before the kernel's value before; absent where a file alone was changed
     */
    record Begun(
            String service,
            String setting,
            @Nullable Path file,
            @Nullable String hash,
            @Nullable String before,
            String then,
            long atMicros) {}

    boolean knows(String id) {
        return Files.exists(directory.resolve(id + ".begun"))
                || Files.exists(directory.resolve(id + ".outcome"));
    }

    void begin(Order order, Begun begun, byte @Nullable [] backup) throws IOException {
        if (backup != null) {
            write(order.id() + ".backup", backup);
        }
        Properties told = new Properties();
        told.setProperty("service", begun.service());
        told.setProperty("setting", begun.setting());
        told.setProperty("then", begun.then());
        told.setProperty("at", Long.toString(begun.atMicros()));
        if (begun.file() != null && begun.hash() != null) {
            told.setProperty("file", begun.file().toString());
            told.setProperty("hash", begun.hash());
        }
        if (begun.before() != null) {
            told.setProperty("before", begun.before());
        }
        StringWriter text = new StringWriter();
        told.store(text, null);
        write(order.id() + ".begun", text.toString().getBytes(StandardCharsets.UTF_8));
    }

    @Nullable
    Begun begun(String id) throws IOException {
        Path file = directory.resolve(id + ".begun");
        if (!Files.exists(file)) {
            return null;
        }
        Properties told = new Properties();
        told.load(new StringReader(Files.readString(file)));
        String path = told.getProperty("file");
        return new Begun(
                told.getProperty("service", ""),
                told.getProperty("setting", ""),
                path == null ? null : Path.of(path),
                told.getProperty("hash"),
                told.getProperty("before"),
                told.getProperty("then", "NOTHING"),
                Long.parseLong(told.getProperty("at", "0")));
    }

    /** Absent where the order made the file anew. */
    byte @Nullable [] backup(String id) throws IOException {
        Path file = directory.resolve(id + ".backup");
        return Files.exists(file) ? Files.readAllBytes(file) : null;
    }

    void end(OrderOutcome outcome) throws IOException {
        write(outcome.order() + ".outcome", RecordCodec.encode(outcome));
        forgetOldest();
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

    /** Orders that were begun and never ended: the agent died meanwhile. */
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

    private void forgetOldest() throws IOException {
        List<Path> outcomes = files("*.outcome");
        if (outcomes.size() <= MOST) {
            return;
        }
        outcomes.sort(Comparator.comparing(file -> file.toFile().lastModified()));
        // By the clock, which may have been set back since the others were written: then this one
        // is the oldest of all.
        long valid = (EpochMicros.now() - OrderCheck.LONGEST_LIFE_MICROS - OrderCheck.SKEW_MICROS)
                / 1_000;
        for (Path file : outcomes.subList(0, outcomes.size() - MOST)) {
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
        Path fresh = Files.createTempFile(directory, name, ".new");
        Files.write(fresh, content, java.nio.file.StandardOpenOption.SYNC);
        Files.move(
                fresh,
                directory.resolve(name),
                StandardCopyOption.ATOMIC_MOVE,
                StandardCopyOption.REPLACE_EXISTING);
    }
}
