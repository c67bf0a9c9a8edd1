package dev.komainu.telemetry.file;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;

/**
 * The file mode creation mask of this process (umask(2)). Java sets modes file by file; a native
 * library that creates files of its own, as DuckDB does with its log, follows the mask.
 */
public final class ProcessUmask {

    /** The mask that leaves files to their owner: mode 700 for directories and 600 for files. */
    public static final int OWNER_ONLY = 077;

    private ProcessUmask() {}

    /**
     * Sets the mask for all threads of this process. Without effect on a system without umask(2).
     *
     * @return the mask before, or -1 when this system has none
     */
    public static int set(int mask) {
        Linker linker = Linker.nativeLinker();
        var address = linker.defaultLookup().find("umask");
        if (address.isEmpty()) {
            return -1;
        }
        MethodHandle umask = linker.downcallHandle(
                address.get(), FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_INT));
        try {
            return (int) umask.invokeExact(mask);
        } catch (Throwable e) {
            throw new IllegalStateException("umask(2)", e);
        }
    }
}
