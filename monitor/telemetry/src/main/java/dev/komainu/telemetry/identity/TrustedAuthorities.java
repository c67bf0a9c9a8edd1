package dev.komainu.telemetry.identity;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.security.cert.X509Certificate;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The authorities in the PEM file {@code central.authority-file}. A changed file is read again. One
 * thread at a time.
 */
final class TrustedAuthorities {

    private final Path file;
    private @Nullable FileTime read;
    private List<X509Certificate> certificates = List.of();

    TrustedAuthorities(Path file) {
        this.file = file;
    }

    /**
     * Returns the certificates of the file: the same list until the file changes.
     *
     * @throws IOException naming the file and what was expected
     */
    List<X509Certificate> certificates() throws IOException {
        try {
            if (!Files.isReadable(file)) {
                throw new IOException("missing or not readable");
            }
            FileTime modified = Files.getLastModifiedTime(file);
            if (!modified.equals(read)) {
                List<X509Certificate> found = PemText.certificates(PemText.text(file));
                // The same list for the same content: connections are reused as long.
                certificates = found.equals(certificates) ? certificates : found;
                read = modified;
            }
            return certificates;
        } catch (IOException e) {
            throw new IOException(
                    "central.authority-file: " + file + ": " + e.getMessage()
                            + " (expected: a readable PEM file of certificates, at most 1 MB)",
                    e);
        }
    }
}
