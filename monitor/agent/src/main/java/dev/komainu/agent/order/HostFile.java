package dev.komainu.agent.order;

import dev.komainu.telemetry.file.PrivateFiles;
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
 * A file of the host that is replaced as a whole: a new file is written beside it with the same
 * owner, group and mode, forced to disk, then renamed, and the name is forced, too. A reader sees
 * the old or the new content, never a part. A link stays a link: its target is replaced.
 */
final class HostFile {

    private static final long MAX_BYTES = 4 << 20;

    private final Path file;

    /**
     * Resolves links.
     *
     * @throws IOException when it is no regular file, or too large
     */
    HostFile(Path file) throws IOException {
        this.file = file.toRealPath();
        if (!Files.isRegularFile(this.file) || Files.size(this.file) > MAX_BYTES) {
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
        // Servers include no file with this name's ending (*.conf, *.cfg), so a leftover has no
        // effect.
        Path replacement = Files.createTempFile(directory, ".komainu-", ".new");
        try {
            try (FileChannel channel = FileChannel.open(replacement, StandardOpenOption.WRITE)) {
                java.nio.ByteBuffer bytes = java.nio.ByteBuffer.wrap(content);
                while (bytes.hasRemaining()) {
                    channel.write(bytes);
                }
                channel.force(true);
            }
            PosixFileAttributeView view =
                    Files.getFileAttributeView(replacement, PosixFileAttributeView.class);
            PosixFileAttributes attributes = view.readAttributes();
            if (!attributes.owner().equals(now.owner())) {
                view.setOwner(now.owner());
            }
            if (!attributes.group().equals(now.group())) {
                view.setGroup(now.group());
            }
            view.setPermissions(now.permissions());
            Files.move(
                    replacement,
                    file,
                    StandardCopyOption.ATOMIC_MOVE,
                    StandardCopyOption.REPLACE_EXISTING);
            PrivateFiles.forceNames(file);
        } finally {
            Files.deleteIfExists(replacement);
        }
    }

    /** Returns the SHA-256 in hexadecimal. */
    static String hash(byte[] content) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(content));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }
}
