package dev.komainu.central.audit;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A file with the rows of the audit log as JSON lines, oldest first. It is read twice: once for the
 * {@code audit.cut} rows, once for all.
 */
public final class AuditExport {

    private AuditExport() {}

    /** The file has a line that is no entry. */
    public static final class MalformedExportException extends Exception {
        private static final long serialVersionUID = 1;

        MalformedExportException(String message) {
            super(message);
        }
    }

    /** Checks the file's rows against heads from outside. */
    public static ChainReport check(Path file, Collection<AuditHead> known)
            throws IOException, MalformedExportException {
        List<AuditHead> cuts = new ArrayList<>();
        try (BufferedReader in = Files.newBufferedReader(file, StandardCharsets.UTF_8)) {
            int number = 0;
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                number++;
                Optional<AuditEntry> entry = EntryJson.of(line);
                if (entry.isEmpty()) {
                    throw new MalformedExportException(
                            file + " line " + number
                                    + ": no audit entry (expected: a JSON object with sequence, at, hash, …)");
                }
                String before = entry.get().before();
                if (entry.get().action().equals(AuditEntry.CUT) && before != null) {
                    AuditHead.of(before).ifPresent(cuts::add);
                }
            }
        }
        try (BufferedReader in = Files.newBufferedReader(file, StandardCharsets.UTF_8)) {
            return new ChainCheck(known).run(entries(in), cuts);
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
    }

    private static Iterator<AuditEntry> entries(BufferedReader in) {
        return new Iterator<>() {
            private @Nullable String line = read();

            private @Nullable String read() {
                try {
                    return in.readLine();
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            }

            @Override
            public boolean hasNext() {
                return line != null;
            }

            @Override
            public AuditEntry next() {
                String now = line;
                if (now == null) {
                    throw new java.util.NoSuchElementException();
                }
                line = read();
                return EntryJson.of(now).orElseThrow();
            }
        };
    }
}
