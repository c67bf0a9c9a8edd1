package dev.komainu.central.backup;

import dev.komainu.telemetry.file.PrivateFiles;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.LongConsumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;

/**
 * The directory of a backup that is being written. Each part is forced to disk and then noted in a
 * journal, so that a backup that was broken off goes on with the parts that it has. The manifest
 * replaces the journal at the end. One thread.
 */
final class BackupTarget implements AutoCloseable {

    /** Journal of an unfinished backup: a head and the parts, a line of JSON each. */
    static final String JOURNAL = "unfinished";

    private static final String FRESH = ".new";
    private static final int BUFFER = 1 << 16;
    private static final JsonMapper JSON = JsonMapper.builder().build();

    private final Path directory;
    private final @Nullable BackupKey key;
    private final LongConsumer written;
    private final FileChannel journal;
    private final Instant begun;
    private final Map<String, Noted> parts = new LinkedHashMap<>();

    private record Head(int format, Instant begun, BackupKey.@Nullable Derivation encryption) {}

    /**
     * A part and what it was copied from.
     *
     * @param mark changes with the content of the original
     */
    private record Noted(String mark, BackupPart part) {}

    private BackupTarget(
            Path directory,
            @Nullable BackupKey key,
            LongConsumer written,
            FileChannel journal,
            Instant begun) {
        this.directory = directory;
        this.key = key;
        this.written = written;
        this.journal = journal;
        this.begun = begun;
    }

    /**
     * Opens an empty directory, or one with a backup that was broken off.
     *
     * @param passphrase absent: the parts are not encrypted
     * @param written receives numbers of bytes as they are written
     * @throws IOException naming the directory and what was expected
     */
    static BackupTarget open(
            Path directory, char @Nullable [] passphrase, Instant now, LongConsumer written)
            throws IOException {
        if (Files.exists(directory.resolve(Manifest.FILE))) {
            throw new IOException(directory + ": holds a complete backup (expected: an empty"
                    + " directory, or one whose backup was broken off)");
        }
        Path file = directory.resolve(JOURNAL);
        if (!Files.exists(file) && Files.isDirectory(directory) && !isEmpty(directory)) {
            throw new IOException(directory + ": not empty (expected: an empty directory, or one"
                    + " whose backup was broken off)");
        }
        PrivateFiles.directory(directory);
        FileChannel journal = PrivateFiles.open(
                file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
        try {
            lock(journal, directory);
            List<String> lines = wholeLines(journal);
            if (lines.isEmpty()) {
                BackupKey key = passphrase == null ? null : BackupKey.create(passphrase);
                BackupTarget target = new BackupTarget(directory, key, written, journal, now);
                target.note(JSON.writeValueAsBytes(
                        new Head(Manifest.FORMAT, now, key == null ? null : key.derivation())));
                return target;
            }
            Head head = JSON.readValue(lines.getFirst(), Head.class);
            if (head.format() != Manifest.FORMAT) {
                throw new IOException(file + ": format " + head.format() + " (expected: "
                        + Manifest.FORMAT + ", or another directory)");
            }
            BackupTarget target = new BackupTarget(
                    directory, key(directory, head, passphrase), written, journal, head.begun());
            for (String line : lines.subList(1, lines.size())) {
                Noted noted = JSON.readValue(line, Noted.class);
                target.parts.put(noted.part().name(), noted);
            }
            return target;
        } catch (JacksonException e) {
            journal.close();
            throw new IOException(
                    file + ": not a journal of this version (expected: another directory)", e);
        } catch (IOException | RuntimeException e) {
            journal.close();
            throw e;
        }
    }

    /** Reports whether a directory has a backup of this kind that was broken off. */
    static boolean isUnfinished(Path directory, boolean encrypted) {
        try (Stream<String> lines = Files.lines(directory.resolve(JOURNAL))) {
            Head head = JSON.readValue(lines.findFirst().orElse(""), Head.class);
            return head.format() == Manifest.FORMAT && (head.encryption() != null) == encrypted;
        } catch (IOException | UncheckedIOException | JacksonException e) {
            return false;
        }
    }

    private static boolean isEmpty(Path directory) throws IOException {
        try (Stream<Path> entries = Files.list(directory)) {
            return entries.findAny().isEmpty();
        }
    }

    private static void lock(FileChannel journal, Path directory) throws IOException {
        boolean locked = false;
        try {
            locked = journal.tryLock() != null;
        } catch (OverlappingFileLockException e) {
            // Locked within this process: reported below like a lock of another process.
        }
        if (!locked) {
            throw new IOException(directory + ": another backup is being written there");
        }
    }

    /** Returns the lines of the journal; a last line without its end is cut off. */
    private static List<String> wholeLines(FileChannel journal) throws IOException {
        ByteBuffer bytes = ByteBuffer.allocate((int) Math.min(journal.size(), Integer.MAX_VALUE));
        while (bytes.hasRemaining() && journal.read(bytes) >= 0) {
            // reads on
        }
        String text = new String(bytes.array(), 0, bytes.position(), StandardCharsets.UTF_8);
        String whole = text.substring(0, text.lastIndexOf('\n') + 1);
        int length = whole.getBytes(StandardCharsets.UTF_8).length;
        journal.truncate(length);
        journal.position(length);
        return whole.lines().toList();
    }

    private static @Nullable BackupKey key(Path directory, Head head, char @Nullable [] passphrase)
            throws IOException {
        BackupKey.Derivation derivation = head.encryption();
        if (derivation == null && passphrase == null) {
            return null;
        }
        if (derivation == null || passphrase == null) {
            throw new IOException(directory + ": the backup that was broken off is "
                    + (derivation == null ? "not encrypted" : "encrypted")
                    + " (expected: the same, or another directory)");
        }
        return BackupKey.open(passphrase, derivation);
    }

    /** Leaves out the parts of an earlier attempt whose files are not as they were written. */
    void checkParts() {
        for (Noted noted : List.copyOf(parts.values())) {
            if (PartCheck.fault(directory, noted.part()).isPresent()) {
                parts.remove(noted.part().name());
            }
        }
    }

    Instant begun() {
        return begun;
    }

    boolean isEncrypted() {
        return key != null;
    }

    /** Returns the mark of a part that is complete; empty without one. */
    Optional<String> mark(String name) {
        return Optional.ofNullable(parts.get(name)).map(Noted::mark);
    }

    long bytes() {
        return parts.values().stream().mapToLong(noted -> noted.part().bytes()).sum();
    }

    /** Opens a part for writing. It becomes part of the backup by {@link OpenPart#keep} only. */
    OpenPart write(String name) throws IOException {
        parts.remove(name);
        return new OpenPart(name);
    }

    /** A part that is being written. */
    final class OpenPart implements AutoCloseable {

        private final String name;
        private final Path file;
        private final Path room;
        private final Path fresh;
        private final FileChannel channel;
        private final HashingOutput hashing;
        private final OutputStream out;

        private OpenPart(String name) throws IOException {
            this.name = name;
            file = directory.resolve(name);
            room = Objects.requireNonNull(file.getParent(), name);
            PrivateFiles.directory(room);
            fresh = file.resolveSibling(file.getFileName() + FRESH);
            Files.deleteIfExists(fresh);
            channel = PrivateFiles.open(
                    fresh, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
            hashing = new HashingOutput(Channels.newOutputStream(channel), written);
            out = new BufferedOutputStream(
                    key == null ? hashing : new SealedOutput(hashing, key, name), BUFFER);
        }

        OutputStream out() {
            return out;
        }

        /**
         * Ends the part and adds it to the backup.
         *
         * @param mark changes with the content of the original
         * @param tables the tables in it
         */
        void keep(String mark, Map<String, BackupPart.Content> tables) throws IOException {
            out.close();
            channel.force(true);
            channel.close();
            Files.move(fresh, file, StandardCopyOption.ATOMIC_MOVE);
            force(room);
            BackupPart part = new BackupPart(name, hashing.bytes(), hashing.sha256(), tables);
            Noted noted = new Noted(mark, part);
            parts.put(name, noted);
            note(JSON.writeValueAsBytes(noted));
        }

        /** Removes the part unless it was kept. */
        @Override
        public void close() throws IOException {
            channel.close();
            Files.deleteIfExists(fresh);
        }
    }

    private void note(byte[] line) throws IOException {
        ByteBuffer bytes =
                ByteBuffer.allocate(line.length + 1).put(line).put((byte) '\n').flip();
        while (bytes.hasRemaining()) {
            journal.write(bytes);
        }
        journal.force(true);
    }

    /** Leaves out the parts that do not belong to the backup any more. */
    void retain(Set<String> names) {
        parts.keySet().retainAll(names);
    }

    /** Returns the parts so far. */
    List<BackupPart> parts() {
        return parts.values().stream().map(Noted::part).toList();
    }

    BackupKey.@Nullable Derivation encryption() {
        return key == null ? null : key.derivation();
    }

    /** Writes the manifest and removes the journal: the backup is complete. */
    void finish(Manifest manifest) throws IOException {
        removeOthers(manifest);
        PrivateFiles.replace(directory.resolve(Manifest.FILE), manifest.written(key));
        force(directory);
        Files.delete(directory.resolve(JOURNAL));
    }

    /** Removes parts of an earlier attempt that the manifest does not name. */
    private void removeOthers(Manifest manifest) throws IOException {
        for (String room : List.of(BackupPart.CONTROL, BackupPart.TELEMETRY, BackupPart.FILES)) {
            Path below = directory.resolve(room);
            if (!Files.isDirectory(below)) {
                continue;
            }
            try (Stream<Path> files = Files.walk(below)) {
                for (Path file : files.filter(Files::isRegularFile).toList()) {
                    String name = directory.relativize(file).toString();
                    if (manifest.parts().stream().noneMatch(part -> part.name().equals(name))) {
                        Files.delete(file);
                    }
                }
            }
        }
    }

    /** Forces the names in a directory to disk. */
    private static void force(Path directory) throws IOException {
        try (FileChannel channel = FileChannel.open(directory, StandardOpenOption.READ)) {
            channel.force(true);
        }
    }

    @Override
    public void close() throws IOException {
        journal.close();
    }
}
