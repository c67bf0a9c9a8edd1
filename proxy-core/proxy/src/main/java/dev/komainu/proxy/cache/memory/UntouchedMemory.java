package dev.komainu.proxy.cache.memory;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.ByteBuffer;

/**
 * Direct memory that the system provides page by page, when a page is written first (malloc(3),
 * which maps areas of this size). Java's own direct buffers are cleared when they are allocated: a
 * whole slab would be resident at once, and the event loop that needs it would wait.
 *
 * <p>The collector frees the memory with the last buffer. {@code -XX:MaxDirectMemorySize} does not
 * count it; the settings of the cache compare the limit with that switch instead.
 */
final class UntouchedMemory {

    private static final Linker LINKER = Linker.nativeLinker();
    private static final MethodHandle MALLOC =
            function("malloc", FunctionDescriptor.of(ValueLayout.ADDRESS, ValueLayout.JAVA_LONG));
    private static final MethodHandle FREE =
            function("free", FunctionDescriptor.ofVoid(ValueLayout.ADDRESS));

    private UntouchedMemory() {}

    /**
     * Returns a buffer of undefined content.
     *
     * @throws OutOfMemoryError when the system refuses the memory
     */
    static ByteBuffer allocate(int bytes) {
        MemorySegment start = malloc(bytes);
        if (start.address() == 0) {
            throw new OutOfMemoryError("malloc: " + bytes + " bytes refused");
        }
        return start.reinterpret(bytes, Arena.ofAuto(), UntouchedMemory::free).asByteBuffer();
    }

    private static MemorySegment malloc(long bytes) {
        try {
            return (MemorySegment) MALLOC.invokeExact(bytes);
        } catch (Throwable e) {
            throw new IllegalStateException("malloc(3)", e);
        }
    }

    private static void free(MemorySegment start) {
        try {
            FREE.invokeExact(start);
        } catch (Throwable e) {
            throw new IllegalStateException("free(3)", e);
        }
    }

    private static MethodHandle function(String name, FunctionDescriptor type) {
        return LINKER.downcallHandle(LINKER.defaultLookup().findOrThrow(name), type);
    }
}
