package dev.komainu.central.backup;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.Optional;

/** The comparison of a stored part with its size and hash. Stateless. */
final class PartCheck {

    private static final int BUFFER = 1 << 16;

    private PartCheck() {}

    /** Returns what is wrong with a part; empty when it is as it was written. */
    static Optional<String> fault(Path directory, BackupPart part) {
        Path file = directory.resolve(part.name());
        try {
            if (!Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)) {
                return Optional.of(part.name() + ": missing");
            }
            long bytes = Files.size(file);
            if (bytes != part.bytes()) {
                return Optional.of(
                        part.name() + ": " + bytes + " bytes (expected: " + part.bytes() + ")");
            }
            if (!hash(file).equals(part.sha256())) {
                return Optional.of(
                        part.name() + ": changed (its SHA-256 is not " + part.sha256() + ")");
            }
            return Optional.empty();
        } catch (IOException e) {
            return Optional.of(part.name() + ": not read: " + e.getMessage());
        }
    }

    private static String hash(Path file) throws IOException {
        MessageDigest digest = HashingOutput.sha256Digest();
        byte[] buffer = new byte[BUFFER];
        try (InputStream in = Files.newInputStream(file)) {
            for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
                digest.update(buffer, 0, read);
            }
        }
        return HexFormat.of().formatHex(digest.digest());
    }
}
