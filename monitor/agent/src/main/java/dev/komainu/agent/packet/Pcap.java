package dev.komainu.agent.packet;

import java.lang.foreign.AddressLayout;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.List;
import java.util.Optional;

/**
 * The few functions of libpcap and libc that the capture loop calls directly: a call through this
 * class costs 0.3 µs a packet, pcap4j's own loop 1.3 µs and an object. The handles are constants,
 * so that the JIT compiles calls into the loop.
 */
final class Pcap {

    private static final List<String> NAMES = List.of(
            "libpcap.so.0.8", "libpcap.so.1", "libpcap.so", "libpcap.A.dylib", "libpcap.dylib");
    private static final boolean IS_LINUX = System.getProperty("os.name", "").equals("Linux");
    private static final AddressLayout ADDRESS = ValueLayout.ADDRESS;
    private static final Linker LINKER = Linker.nativeLinker();
    private static final Optional<SymbolLookup> LIBRARY = library();

    private static final MethodHandle NEXT_EX = find(
            LIBRARY,
            "pcap_next_ex",
            FunctionDescriptor.of(ValueLayout.JAVA_INT, ADDRESS, ADDRESS, ADDRESS));
    private static final MethodHandle SELECTABLE_FD = find(
            LIBRARY,
            "pcap_get_selectable_fd",
            FunctionDescriptor.of(ValueLayout.JAVA_INT, ADDRESS));
    private static final MethodHandle SET_DATALINK = find(
            LIBRARY,
            "pcap_set_datalink",
            FunctionDescriptor.of(ValueLayout.JAVA_INT, ADDRESS, ValueLayout.JAVA_INT));
    private static final Linker.Option ERRNO = Linker.Option.captureCallState("errno");
    private static final StructLayout CALL_STATE = Linker.Option.captureStateLayout();
    private static final VarHandle ERROR_NUMBER =
            CALL_STATE.varHandle(MemoryLayout.PathElement.groupElement("errno"));
    private static final Optional<MethodHandle> SET_OPTION =
            findCapturing("setsockopt", ValueLayout.JAVA_INT);
    private static final Optional<MethodHandle> GET_OPTION = findCapturing("getsockopt", ADDRESS);
    private static final MethodHandle POLL = find(
            Optional.of(LINKER.defaultLookup()),
            "poll",
            FunctionDescriptor.of(
                    ValueLayout.JAVA_INT, ADDRESS, ValueLayout.JAVA_LONG, ValueLayout.JAVA_INT));

    private Pcap() {}

    /** Reports whether libpcap is installed on this host. */
    static boolean available() {
        return LIBRARY.isPresent();
    }

    private static Optional<SymbolLookup> library() {
        for (String name : NAMES) {
            try {
                return Optional.of(SymbolLookup.libraryLookup(name, Arena.global()));
            } catch (IllegalArgumentException e) {
                // Not found under this name.
            }
        }
        return Optional.empty();
    }

    private static MethodHandle find(
            Optional<SymbolLookup> lookup, String name, FunctionDescriptor type) {
        return lookup.flatMap(found -> found.find(name))
                .map(address -> LINKER.downcallHandle(address, type))
                .orElseGet(() -> MethodHandles.empty(type.toMethodType()));
    }

    /**
     * Finds a socket option call, whose last argument is a length or a pointer to one; the call
     * returns the error number.
     */
    private static Optional<MethodHandle> findCapturing(String name, MemoryLayout length) {
        FunctionDescriptor type = FunctionDescriptor.of(
                ValueLayout.JAVA_INT,
                ValueLayout.JAVA_INT,
                ValueLayout.JAVA_INT,
                ValueLayout.JAVA_INT,
                ADDRESS,
                length);
        return IS_LINUX
                ? LINKER.defaultLookup()
                        .find(name)
                        .map(address -> LINKER.downcallHandle(address, type, ERRNO))
                : Optional.empty();
    }

    /**
     * Reports whether {@link #setOption} and {@link #getOption} work on this system: their numbers
     * are Linux's.
     */
    static boolean canSetOptions() {
        return SET_OPTION.isPresent() && GET_OPTION.isPresent();
    }

    /** Calls setsockopt(2); returns 0, or the error number. */
    static int setOption(int descriptor, int level, int name, MemorySegment value, int length) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment state = arena.allocate(CALL_STATE);
            int result = (int) SET_OPTION
                    .orElseThrow()
                    .invokeExact(state, descriptor, level, name, value, length);
            return result == 0 ? 0 : (int) ERROR_NUMBER.get(state, 0L);
        } catch (Throwable e) {
            throw new IllegalStateException("setsockopt", e);
        }
    }

    /** Calls getsockopt(2); returns 0, or the error number. */
    static int getOption(
            int descriptor, int level, int name, MemorySegment value, MemorySegment length) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment state = arena.allocate(CALL_STATE);
            int result = (int) GET_OPTION
                    .orElseThrow()
                    .invokeExact(state, descriptor, level, name, value, length);
            return result == 0 ? 0 : (int) ERROR_NUMBER.get(state, 0L);
        } catch (Throwable e) {
            throw new IllegalStateException("getsockopt", e);
        }
    }

    /** Reads the next packet; returns 1: a packet; 0: none now; -1: an error. */
    static int nextEx(MemorySegment pcap, MemorySegment header, MemorySegment data) {
        try {
            return (int) NEXT_EX.invokeExact(pcap, header, data);
        } catch (Throwable e) {
            throw new IllegalStateException("pcap_next_ex", e);
        }
    }

    static int selectableFd(MemorySegment pcap) {
        try {
            return (int) SELECTABLE_FD.invokeExact(pcap);
        } catch (Throwable e) {
            throw new IllegalStateException("pcap_get_selectable_fd", e);
        }
    }

    /** Requests another link-layer header; false when the device does not support it. */
    static boolean setDatalink(MemorySegment pcap, int number) {
        try {
            return (int) SET_DATALINK.invokeExact(pcap, number) == 0;
        } catch (Throwable e) {
            throw new IllegalStateException("pcap_set_datalink", e);
        }
    }

    /**
     * Calls poll(2).
     *
     * @param descriptors array of {@code struct pollfd}
     */
    static int poll(MemorySegment descriptors, int count, int timeoutMillis) {
        try {
            return (int) POLL.invokeExact(descriptors, (long) count, timeoutMillis);
        } catch (Throwable e) {
            throw new IllegalStateException("poll", e);
        }
    }
}
