package dev.komainu.agent.host.linux;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.jspecify.annotations.Nullable;

/**
 * The space of a file system.
 *
 * @param availableBytes for programs without privileges
 * @param files inodes; 0 when the file system has no fixed number
 */
public record FileSpace(long bytes, long availableBytes, long files, long filesFree) {

    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG;

    // struct statvfs of 64-bit Linux: f_bsize, f_frsize, f_blocks, f_bfree, f_bavail, f_files,
    // f_ffree, f_favail.
    private static final long STRUCT_BYTES = 128;
    private static final long FRAGMENT_AT = 8;
    private static final long BLOCKS_AT = 16;
    private static final long FREE_AT = 24;
    private static final long AVAILABLE_AT = 32;
    private static final long FILES_AT = 40;
    private static final long FILES_FREE_AT = 48;

    /**
     * Reads the space of the file system at a path; null when it cannot be read. May block on a
     * device that does not respond.
     */
    public static @Nullable FileSpace of(String path) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment answer = arena.allocate(STRUCT_BYTES, Long.BYTES);
            if (!LibC.statvfs(arena.allocateFrom(path), answer)) {
                return null;
            }
            long fragment = answer.get(LONG, FRAGMENT_AT);
            long available = answer.get(LONG, AVAILABLE_AT) * fragment;
            long used = (answer.get(LONG, BLOCKS_AT) - answer.get(LONG, FREE_AT)) * fragment;
            // As df(1): blocks reserved for root count neither as used nor as available.
            return new FileSpace(
                    used + available,
                    available,
                    answer.get(LONG, FILES_AT),
                    answer.get(LONG, FILES_FREE_AT));
        }
    }
}
