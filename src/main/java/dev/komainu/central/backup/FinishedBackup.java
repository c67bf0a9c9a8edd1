package dev.komainu.central.backup;

import dev.komainu.central.backup.table.TableSum;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A complete backup, for reading. Any thread. */
public final class FinishedBackup {

    private final Path directory;
    private final Manifest manifest;
    private final @Nullable BackupKey key;

    private FinishedBackup(Path directory, Manifest manifest, @Nullable BackupKey key) {
        this.directory = directory;
        this.manifest = manifest;
        this.key = key;
    }

    /**
     * A backup in short.
     *
     * @param telemetry each batch that was acknowledged before this instant is in the backup
     */
    public record Summary(
            Instant begun,
            Instant control,
            Instant telemetry,
            boolean encrypted,
            int parts,
            int days,
            int tables,
            long rows,
            long bytes,
            String product,
            List<String> missing) {}

    /**
     * Opens a backup.
     *
     * @param passphrase the passphrase of an encrypted backup; absent: its parts can be compared
     *     with their hashes, not read
     * @throws IOException naming what was wrong and expected
     */
    public static FinishedBackup open(Path directory, char @Nullable [] passphrase)
            throws IOException {
        Manifest.Stored stored = Manifest.read(directory);
        BackupKey.Derivation derivation = stored.manifest().encryption();
        if (derivation == null) {
            if (passphrase != null) {
                throw new IOException(
                        directory + ": not encrypted (expected: no passphrase for it)");
            }
            return new FinishedBackup(directory, stored.manifest(), null);
        }
        if (passphrase == null) {
            return new FinishedBackup(directory, stored.manifest(), null);
        }
        BackupKey key = BackupKey.open(passphrase, derivation);
        stored.check(key);
        return new FinishedBackup(directory, stored.manifest(), key);
    }

    /** Reports whether its parts can be read: it is not encrypted, or its passphrase was given. */
    public boolean isReadable() {
        return manifest.encryption() == null || key != null;
    }

    Manifest manifest() {
        return manifest;
    }

    public Summary summary() {
        return summary(manifest);
    }

    static Summary summary(Manifest manifest) {
        int days = 0;
        int tables = 0;
        long rows = 0;
        for (BackupPart part : manifest.parts()) {
            days += part.isDay() ? 1 : 0;
            tables += part.name().startsWith(BackupPart.CONTROL) ? 1 : 0;
            rows += part.tables().values().stream()
                    .mapToLong(BackupPart.Content::rows)
                    .sum();
        }
        return new Summary(
                manifest.begun(),
                manifest.control(),
                manifest.telemetry(),
                manifest.encryption() != null,
                manifest.parts().size(),
                days,
                tables,
                rows,
                manifest.bytes(),
                manifest.product(),
                manifest.missing());
    }

    /** Opens a part; its bytes as they were before encryption. */
    InputStream open(BackupPart part) throws IOException {
        InputStream file = Files.newInputStream(directory.resolve(part.name()));
        if (manifest.encryption() == null) {
            return file;
        }
        if (key == null) {
            file.close();
            throw new IOException(directory + ": encrypted (expected: --passphrase-file)");
        }
        try {
            return new SealedInput(file, key, part.name());
        } catch (IOException e) {
            file.close();
            throw e;
        }
    }

    /**
     * Compares every part with its size and hash, and looks for files that do not belong to the
     * backup.
     *
     * @return what is wrong, a line for each part
     */
    public List<String> faultsOfFiles() throws IOException {
        List<String> faults = new ArrayList<>();
        Set<String> known = new HashSet<>();
        known.add(Manifest.FILE);
        for (BackupPart part : manifest.parts()) {
            known.add(part.name());
            PartCheck.fault(directory, part).ifPresent(faults::add);
        }
        try (Stream<Path> files = Files.walk(directory)) {
            files.filter(Files::isRegularFile)
                    .map(file -> directory.relativize(file).toString())
                    .filter(name -> !known.contains(name))
                    .sorted()
                    .forEach(name -> faults.add(name + ": not a part of this backup"));
        }
        return faults;
    }

    /** Writes a part as it was before encryption into a new file. */
    void copy(BackupPart part, Path to) throws IOException {
        try (InputStream in = open(part)) {
            Files.copy(in, to);
        }
    }

    /** Returns the parts of the control data by the names of their tables. */
    Map<String, BackupPart> controlParts() {
        Map<String, BackupPart> parts = new LinkedHashMap<>();
        for (BackupPart part : manifest.parts()) {
            if (part.name().startsWith(BackupPart.CONTROL)) {
                part.tables().keySet().forEach(table -> parts.put(table, part));
            }
        }
        return parts;
    }

    /** Compares the sums of loaded tables with those of the manifest. */
    List<String> differences(Map<String, TableSum> loaded) {
        List<String> faults = new ArrayList<>();
        controlParts().forEach((table, part) -> {
            BackupPart.Content expected = part.tables().get(table);
            TableSum sum = loaded.get(table);
            if (expected == null
                    || sum == null
                    || sum.rows() != expected.rows()
                    || !sum.sum().equals(expected.sum())) {
                faults.add(part.name() + ": table " + table + " has "
                        + (sum == null ? "no" : sum.rows()) + " rows (expected: "
                        + (expected == null ? 0 : expected.rows()) + " of the same content)");
            }
        });
        return faults;
    }

    static List<String> differences(BackupPart part, Map<String, Long> rows) {
        List<String> faults = new ArrayList<>();
        new TreeMap<>(part.tables()).forEach((table, expected) -> {
            Long found = rows.get(table);
            if (found == null || found != expected.rows()) {
                faults.add(part.name() + ": table " + table + " has "
                        + (found == null ? "no" : found) + " rows (expected: " + expected.rows()
                        + ")");
            }
        });
        return faults;
    }
}
