package dev.komainu.central.audit;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * The file of signed heads, one a line, oldest first. It is opened for appending only, so that it
 * may have the attribute append-only ({@code chattr +a}).
 */
public final class HeadFile {

    private final Path file;

    public HeadFile(Path file) {
        this.file = file;
    }

    /**
     * The heads of a file.
     *
     * @param unreadable lines of another form, such as one that was not written to its end
     */
    public record Heads(List<SignedHead> heads, int unreadable) {
        public Heads {
            heads = List.copyOf(heads);
        }
    }

    /**
     * Appends a line and forces it to disk. A file that does not exist is created with mode 600.
     */
    public synchronized void append(SignedHead head) throws IOException {
        Path directory = file.toAbsolutePath().getParent();
        if (directory != null) {
            Files.createDirectories(directory);
        }
        try (FileChannel channel = FileChannel.open(
                file,
                Set.of(StandardOpenOption.CREATE, StandardOpenOption.APPEND),
                PosixFilePermissions.asFileAttribute(
                        PosixFilePermissions.fromString("rw-------")))) {
            ByteBuffer line = ByteBuffer.wrap((head + "\n").getBytes(StandardCharsets.UTF_8));
            while (line.hasRemaining()) {
                channel.write(line);
            }
            channel.force(true);
        }
    }

    /** Reads all heads; none when there is no file. */
    public Heads read() throws IOException {
        if (!Files.exists(file)) {
            return new Heads(List.of(), 0);
        }
        List<SignedHead> heads = new ArrayList<>();
        int unreadable = 0;
        for (String line : new String(Files.readAllBytes(file), StandardCharsets.UTF_8)
                .lines()
                .filter(each -> !each.isBlank())
                .toList()) {
            Optional<SignedHead> head = SignedHead.of(line);
            if (head.isPresent()) {
                heads.add(head.get());
            } else {
                unreadable++;
            }
        }
        return new Heads(heads, unreadable);
    }
}
