package dev.komainu.agent.discovery.configuration;

import java.io.IOException;
import java.io.InputStream;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;

/**
 * A read of a file only if it is a regular file, even if another process replaces it meanwhile. The
 * agent often runs as root and reads files that any user's server names; a pipe put there at the
 * right moment would block an ordinary open for ever. The file is therefore opened without blocking
 * (O_NONBLOCK), checked through its descriptor, and only then read through that descriptor.
 */
final class RegularFile {

    // The same values on every Linux architecture the JDK supports (asm-generic/fcntl.h).
    private static final int O_NOCTTY = 0x100;
    private static final int O_NONBLOCK = 0x800;
    private static final int O_CLOEXEC = 0x80000;

    /** The C functions. A separate class, so that hosts without them never load it. */
    private static final class C {
        static final MethodHandle OPEN = handle("open", ValueLayout.ADDRESS, ValueLayout.JAVA_INT);
        static final MethodHandle CLOSE = handle("close", ValueLayout.JAVA_INT);

        private static MethodHandle handle(String name, ValueLayout... arguments) {
            Linker linker = Linker.nativeLinker();
            return linker.downcallHandle(
                    linker.defaultLookup().findOrThrow(name),
                    FunctionDescriptor.of(ValueLayout.JAVA_INT, arguments));
        }
    }

    private RegularFile() {}

    /**
     * Reads a file.
     *
     * @param limit maximum number of bytes to read
     * @throws IOException when it cannot be read or is no regular file
     */
    static byte[] read(Path file, int limit) throws IOException {
        int descriptor = open(file);
        try {
            Path opened = Path.of("/proc/self/fd/" + descriptor);
            if (!Files.readAttributes(opened, BasicFileAttributes.class).isRegularFile()) {
                throw new IOException(file + ": no regular file");
            }
            try (InputStream in = Files.newInputStream(opened)) {
                return in.readNBytes(limit);
            }
        } finally {
            close(descriptor);
        }
    }

    private static int open(Path file) throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment path = arena.allocateFrom(file.toString(), StandardCharsets.UTF_8);
            int descriptor = (int) C.OPEN.invokeExact(path, O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
            if (descriptor < 0) {
                throw new NoSuchFileException(file.toString());
            }
            return descriptor;
        } catch (IOException e) {
            throw e;
        } catch (Throwable e) {
            throw new IOException("open: " + e, e);
        }
    }

    private static void close(int descriptor) {
        try {
            int ignored = (int) C.CLOSE.invokeExact(descriptor);
        } catch (Throwable e) {
            // Only the descriptor is lost.
        }
    }
}
