package dev.komainu.agent.order;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFileAttributes;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/**
 * A file of the host that is replaced as a whole: written beside itself with the same owner, group
 * and mode, forced to disk, then renamed. Who reads it meanwhile sees the old or the new one, never
 * a part. A link stays a link: what it leads to is replaced.
 */
final class HostFile {

    private static final long MOST_BYTES = 4 << 20;

    private final Path file;

    /** @throws IOException when it is no regular file, or too large */
    HostFile(Path file) throws IOException {
        this.file = file.toRealPath();
        if (!Files.isRegularFile(this.file) || Files.size(this.file) > MOST_BYTES) {
            throw new IOException(file + " (expected: a regular file of at most 4 MB)");
        }
    }

    Path path() {
        return file;
    }

    byte[] read() throws IOException {
        return Files.readAllBytes(file);
    }

    void replace(byte[] content) throws IOException {
        PosixFileAttributes now = Files.readAttributes(file, PosixFileAttributes.class);
        Path directory = file.getParent();
        // Its name ends in nothing that servers include (*.conf, *.cfg), should it ever be left
        // behind.
        Path fresh = Files.createTempFile(directory, ".komainu-", ".new");
        try {
            try (FileChannel channel = FileChannel.open(fresh, StandardOpenOption.WRITE)) {
                java.nio.ByteBuffer bytes = java.nio.ByteBuffer.wrap(content);
                while (bytes.hasRemaining()) {
                    channel.write(bytes);
                }
                channel.force(true);
            }
            PosixFileAttributeView view =
                    Files.getFileAttributeView(fresh, PosixFileAttributeView.class);
            PosixFileAttributes made = view.readAttributes();
            if (!made.owner().equals(now.owner())) {
                view.setOwner(now.owner());
            }
            if (!made.group().equals(now.group())) {
                view.setGroup(now.group());
            }
            view.setPermissions(now.permissions());
            Files.move(
                    fresh,
                    file,
                    StandardCopyOption.ATOMIC_MOVE,
                    StandardCopyOption.REPLACE_EXISTING);
        } finally {
            Files.deleteIfExists(fresh);
        }
    }

    /** SHA-256 in hexadecimal. */
    static String hash(byte[] content) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(content));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }
}
