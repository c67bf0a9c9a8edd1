package dev.komainu.telemetry.file;

import com.sun.security.auth.module.UnixSystem;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileSystemException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.EnumSet;
import java.util.Objects;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Directories and files that only the user of this process can read, whatever its umask: mode 700
 * and 600 from their creation on. Existing ones with a wider mode are narrowed, and one line of the
 * log reports it. A directory that belongs to another user is refused, because its owner could
 * replace every file in it.
 *
 * <p>On a file system without POSIX permissions, modes are neither set nor checked. Any thread.
 */
public final class PrivateFiles {

    private static final Logger LOG = LoggerFactory.getLogger(PrivateFiles.class);

    private static final Set<PosixFilePermission> OF_DIRECTORY =
            PosixFilePermissions.fromString("rwx------");
    private static final Set<PosixFilePermission> OF_FILE =
            PosixFilePermissions.fromString("rw-------");
    private static final int STICKY = 01000;

    private PrivateFiles() {}

    /**
     * Creates a directory with its missing parents, or checks an existing one and narrows its mode.
     *
     * @param own globs of the names of the files that the caller keeps there. Existing files of
     *     these names are narrowed, too; other files are left as they are
     * @return the directory
     * @throws IOException when the directory cannot be created, belongs to another user, or is
     *     shared by several users as {@code /tmp} is
     */
    public static Path directory(Path directory, String... own) throws IOException {
        if (!isPosix(directory)) {
            return Files.createDirectories(directory);
        }
        if (!Files.isDirectory(directory)) {
            Files.createDirectories(directory, PosixFilePermissions.asFileAttribute(OF_DIRECTORY));
        }
        Path real = directory.toRealPath();
        long uid = new UnixSystem().getUid();
        if (number(real, "uid") != uid) {
            throw new IOException(directory + " belongs to the user " + Files.getOwner(real)
                    + " (expected: a directory of the user who runs this program; mend: chown -R "
                    + uid + " " + real + ")");
        }
        if ((number(real, "mode") & STICKY) != 0 || real.getParent() == null) {
            throw new IOException(directory
                    + " is shared by all users (expected: a directory of its own, such as "
                    + directory.resolve("komainu") + ")");
        }
        if (!OF_DIRECTORY.containsAll(Files.getPosixFilePermissions(real))) {
            refuseShared(directory, real, uid);
        }
        boolean narrowed = narrow(real, OF_DIRECTORY);
        int files = 0;
        for (String glob : own) {
            try (DirectoryStream<Path> matching = Files.newDirectoryStream(real, glob)) {
                for (Path file : matching) {
                    if (Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)
                            && narrow(file, OF_FILE)) {
                        files++;
                    }
                }
            }
        }
        if (narrowed || files > 0) {
            LOG.warn(
                    "Files: {} was accessible to other users{}; now only to its owner",
                    directory,
                    files == 0
                            ? ""
                            : narrowed ? " with " + files + " files" : " in " + files + " files");
        }
        return directory;
    }

    /** Refuses a directory that would be closed to others who keep files in it. */
    private static void refuseShared(Path directory, Path real, long uid) throws IOException {
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(real)) {
            for (Path entry : entries) {
                if (number(entry, "uid") != uid) {
                    throw new IOException(directory + " is used by other users, too (" + entry
                            + "; expected: a directory of its own, such as "
                            + directory.resolve("komainu") + ")");
                }
            }
        }
    }

    /**
     * Creates the directory of a file as {@link #directory} does. A directory that exists is left
     * as it is: it may contain the files of others.
     */
    public static void parentOf(Path file) throws IOException {
        Path parent = file.toAbsolutePath().getParent();
        if (parent != null && !Files.isDirectory(parent)) {
            directory(parent);
        }
    }

    /**
     * Opens a file. A file that this call creates has mode 600; the mode of an existing one is
     * narrowed.
     */
    public static FileChannel open(Path file, OpenOption... options) throws IOException {
        return open(file, OF_FILE, options);
    }

    /** Opens a file as {@link #open(Path, OpenOption...)} does, with another largest mode. */
    public static FileChannel open(
            Path file, Set<PosixFilePermission> widest, OpenOption... options) throws IOException {
        if (!isPosix(file)) {
            return FileChannel.open(file, options);
        }
        boolean existed = Files.exists(file);
        FileAttribute<?> mode = PosixFilePermissions.asFileAttribute(widest);
        FileChannel channel = FileChannel.open(file, Set.of(options), mode);
        try {
            if (!existed) {
                // The umask may have removed bits that the caller asked for.
                Files.setPosixFilePermissions(file, widest);
            } else if (Files.isRegularFile(file) && narrow(file, widest)) {
                LOG.warn(
                        "Files: {} was accessible to other users; now {}",
                        file,
                        PosixFilePermissions.toString(Files.getPosixFilePermissions(file)));
            }
        } catch (IOException e) {
            // The file is usable; a log rotation of another user may have created it.
            LOG.warn("Files: {}", e.getMessage());
        }
        return channel;
    }

    /**
     * Locks a directory for this process by its file {@code lock}, until the channel is closed.
     *
     * @param held the message when it is locked already, by another process or within this one
     * @throws IOException with this message, or when the file cannot be opened
     */
    public static FileChannel lock(Path directory, String held) throws IOException {
        FileChannel channel = open(
                directory.resolve("lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        FileLock lock = null;
        try {
            lock = channel.tryLock();
        } catch (OverlappingFileLockException e) {
            // Locked within this process: reported below like a lock of another process.
        }
        if (lock == null) {
            channel.close();
            throw new IOException(held);
        }
        return channel;
    }

    /**
     * Narrows the mode of a file that a library created in a private directory. Has no effect when
     * there is no such file.
     */
    public static void narrow(Path file) throws IOException {
        if (isPosix(file) && Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)) {
            narrow(file, OF_FILE);
        }
    }

    /**
     * Replaces the content of a file in one step: a reader finds the old content or the new one.
     * The new file has mode 600. It is on the disk when this returns, under its name.
     */
    public static void replace(Path file, byte[] content) throws IOException {
        Path fresh = file.resolveSibling(file.getFileName() + ".new");
        // A leftover may be a link, or have another mode.
        Files.deleteIfExists(fresh);
        try (FileChannel out =
                open(fresh, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
            ByteBuffer bytes = ByteBuffer.wrap(content);
            while (bytes.hasRemaining()) {
                out.write(bytes);
            }
            out.force(true);
        }
        Files.move(
                fresh, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        forceNames(file);
    }

    /**
     * Forces the names in the directory of a file to the disk: without it a loss of power may undo
     * a rename, although the bytes of the file were forced. Has no effect on systems that cannot
     * open a directory.
     */
    public static void forceNames(Path file) throws IOException {
        Path parent = file.toAbsolutePath().getParent();
        if (parent != null && isPosix(parent)) {
            try (FileChannel directory = FileChannel.open(parent, StandardOpenOption.READ)) {
                directory.force(true);
            }
        }
    }

    /** Removes the permissions that {@code widest} lacks. Reports whether there were any. */
    private static boolean narrow(Path file, Set<PosixFilePermission> widest) throws IOException {
        Set<PosixFilePermission> now = Files.getPosixFilePermissions(file);
        if (widest.containsAll(now)) {
            return false;
        }
        Set<PosixFilePermission> kept = EnumSet.noneOf(PosixFilePermission.class);
        kept.addAll(now);
        kept.retainAll(widest);
        try {
            Files.setPosixFilePermissions(file, kept);
        } catch (FileSystemException e) {
            throw new IOException(
                    file + " can be read by other users and its mode cannot be changed ("
                            + e.getMessage() + "; expected: a file of the user who runs this"
                            + " program)",
                    e);
        }
        return true;
    }

    private static int number(Path path, String attribute) throws IOException {
        Object value = Files.getAttribute(path, "unix:" + attribute, LinkOption.NOFOLLOW_LINKS);
        return (Integer) Objects.requireNonNull(value);
    }

    private static boolean isPosix(Path path) {
        // A file store cannot be asked: the path may not exist yet.
        return path.getFileSystem() == FileSystems.getDefault()
                && path.getFileSystem().supportedFileAttributeViews().contains("unix");
    }
}
