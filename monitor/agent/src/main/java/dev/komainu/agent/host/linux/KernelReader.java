package dev.komainu.agent.host.linux;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;

/**
 * A reader of the kernel's files into one reused text. Descriptors are plain numbers; the code that
 * opens one closes it. One thread at a time.
 */
final class KernelReader {

    /** The value of a descriptor when no file could be opened. */
    static final int NONE = -1;

    private static final int AT_FDCWD = -100;
    private static final int NAME_BYTES = 4_096;
    private static final int CHUNK_BYTES = 64 << 10;
    private static final int LINK_BYTES = 256;
    private static final byte[] NO_SUFFIX = {};
    private static final int DIRENT_NAME_AT = 19;

    private final MemorySegment name;
    private final MemorySegment chunk;
    private final KernelFileText text = new KernelFileText(16 << 10);

    KernelReader() {
        Arena arena = Arena.ofAuto();
        name = arena.allocate(NAME_BYTES, 8);
        chunk = arena.allocate(CHUNK_BYTES, 8);
    }

    /** Returns the text of the last read. */
    KernelFileText text() {
        return text;
    }

    /** Opens a file. Returns its descriptor, or {@link #NONE}. */
    int open(String path) {
        byte[] bytes = path.getBytes(StandardCharsets.UTF_8);
        if (bytes.length >= NAME_BYTES) {
            return NONE;
        }
        MemorySegment.copy(bytes, 0, name, ValueLayout.JAVA_BYTE, 0, bytes.length);
        name.set(ValueLayout.JAVA_BYTE, bytes.length, (byte) 0);
        return Math.max(NONE, LibC.open(AT_FDCWD, name));
    }

    /** Opens a file under an open directory. Returns its descriptor, or {@link #NONE}. */
    int open(int directory, byte[] relative) {
        return directory < 0 ? NONE : Math.max(NONE, LibC.open(directory, named(relative)));
    }

    /**
     * Opens a file whose name contains a number, such as {@code task/17/children}. Returns its
     * descriptor, or {@link #NONE}.
     */
    int open(int directory, byte[] prefix, long number, byte[] suffix) {
        return directory < 0
                ? NONE
                : Math.max(NONE, LibC.open(directory, named(prefix, number, suffix)));
    }

    void close(int file) {
        if (file >= 0) {
            LibC.close(file);
        }
    }

    /**
     * Reads the whole file from its start into {@link #text()}, and reports whether that succeeded.
     */
    boolean read(int file) {
        return read(file, false);
    }

    /**
     * Reads the result of one call: sufficient for files the kernel writes in one piece, and
     * cheaper by one call.
     */
    boolean readOnce(int file) {
        return read(file, true);
    }

    private boolean read(int file, boolean once) {
        text.clear();
        if (file < 0) {
            return false;
        }
        long count;
        do {
            count = LibC.pread(file, chunk, CHUNK_BYTES, text.length());
            if (count > 0) {
                MemorySegment.copy(
                        chunk,
                        ValueLayout.JAVA_BYTE,
                        0,
                        text.reserve((int) count),
                        text.length(),
                        (int) count);
                text.grow((int) count);
            }
        } while (count > 0 && !once && text.length() < ProcFiles.MAX_BYTES);
        return count >= 0;
    }

    /** Opens, reads and closes a file. */
    boolean readOnce(int directory, byte[] relative) {
        int file = open(directory, relative);
        boolean read = readOnce(file);
        close(file);
        return read;
    }

    /** Opens, reads and closes a file whose name contains a number. */
    boolean readOnce(int directory, byte[] prefix, long number, byte[] suffix) {
        int file = open(directory, prefix, number, suffix);
        boolean read = readOnce(file);
        close(file);
        return read;
    }

    /**
     * Reads the target of a symbolic link whose name is a number, such as {@code fd/7}, into
     * {@link #text()}, and reports whether there is one.
     */
    boolean link(int directory, byte[] prefix, long number) {
        text.clear();
        if (directory < 0) {
            return false;
        }
        long length = LibC.readlink(directory, named(prefix, number, NO_SUFFIX), chunk, LINK_BYTES);
        if (length <= 0) {
            return false;
        }
        MemorySegment.copy(
                chunk, ValueLayout.JAVA_BYTE, 0, text.reserve((int) length), 0, (int) length);
        text.grow((int) length);
        return true;
    }

    /**
     * Reads eight bytes at a position of an open file, in the machine's order; {@code absent} when
     * they cannot be read.
     */
    long word(int file, long position, long absent) {
        return file >= 0 && LibC.pread(file, chunk, Long.BYTES, position) == Long.BYTES
                ? chunk.get(ValueLayout.JAVA_LONG, 0)
                : absent;
    }

    /**
     * Reads the beginning of a file that another user may have put there; empty when it cannot be
     * read.
     *
     * @param limit most bytes, at most 64 KiB
     */
    byte[] bytes(String path, int limit) {
        byte[] encoded = path.getBytes(StandardCharsets.UTF_8);
        if (encoded.length >= NAME_BYTES) {
            return NO_SUFFIX;
        }
        MemorySegment.copy(encoded, 0, name, ValueLayout.JAVA_BYTE, 0, encoded.length);
        name.set(ValueLayout.JAVA_BYTE, encoded.length, (byte) 0);
        int file = LibC.openForeign(AT_FDCWD, name);
        if (file < 0) {
            return NO_SUFFIX;
        }
        long length = LibC.pread(file, chunk, Math.min(limit, CHUNK_BYTES), 0);
        close(file);
        return length <= 0 ? NO_SUFFIX : chunk.asSlice(0, length).toArray(ValueLayout.JAVA_BYTE);
    }

    /** Returns the size of a file under an open directory; -1 when it is missing. */
    long size(int directory, byte[] relative) {
        return LibC.size(directory, named(relative), chunk);
    }

    /** Returns the links of a file under an open directory; -1 when it is missing. */
    long links(int directory, byte[] relative) {
        return LibC.links(directory, named(relative), chunk);
    }

    /** Returns the number of entries of a directory that are numbers; -1 when it cannot be read. */
    long countNumbers(int directory, byte[] relative) {
        return numbersIn(directory, relative, number -> {});
    }

    /**
     * Passes every entry of a directory that is a number to the sink, in directory order. Returns
     * their count; -1 when the directory cannot be read.
     */
    long numbersIn(int directory, byte[] relative, NumberSink sink) {
        int file = LibC.hasSystemCallNumbers() ? open(directory, relative) : NONE;
        if (file < 0) {
            return -1;
        }
        long found = 0;
        long bytes = LibC.list(file, chunk, CHUNK_BYTES);
        boolean read = bytes >= 0;
        while (bytes > 0) {
            for (long entry = 0; entry + DIRENT_NAME_AT < bytes; ) {
                long number = numberAt(entry + DIRENT_NAME_AT, bytes);
                if (number >= 0) {
                    found++;
                    sink.accept(number);
                }
                int length = Short.toUnsignedInt(
                        chunk.get(ValueLayout.JAVA_SHORT_UNALIGNED, entry + 16));
                entry += Math.max(DIRENT_NAME_AT + 1, length);
            }
            bytes = LibC.list(file, chunk, CHUNK_BYTES);
        }
        close(file);
        return read ? found : -1;
    }

    private long numberAt(long from, long limit) {
        long value = 0;
        long at = from;
        for (; at < limit && at < from + 18; at++) {
            byte b = chunk.get(ValueLayout.JAVA_BYTE, at);
            if (b == 0) {
                break;
            }
            if (b < '0' || b > '9') {
                return -1;
            }
            value = value * 10 + (b - '0');
        }
        return at > from ? value : -1;
    }

    private MemorySegment named(byte[] relative) {
        MemorySegment.copy(relative, 0, name, ValueLayout.JAVA_BYTE, 0, relative.length);
        name.set(ValueLayout.JAVA_BYTE, relative.length, (byte) 0);
        return name;
    }

    private MemorySegment named(byte[] prefix, long number, byte[] suffix) {
        MemorySegment.copy(prefix, 0, name, ValueLayout.JAVA_BYTE, 0, prefix.length);
        int at = prefix.length;
        int digits = 1;
        for (long rest = number; rest >= 10; rest /= 10) {
            digits++;
        }
        long rest = number;
        for (int i = digits - 1; i >= 0; i--) {
            name.set(ValueLayout.JAVA_BYTE, at + i, (byte) ('0' + rest % 10));
            rest /= 10;
        }
        at += digits;
        MemorySegment.copy(suffix, 0, name, ValueLayout.JAVA_BYTE, at, suffix.length);
        name.set(ValueLayout.JAVA_BYTE, at + suffix.length, (byte) 0);
        return name;
    }

    /** A consumer of numbers. */
    @FunctionalInterface
    interface NumberSink {
        void accept(long number);
    }
}
