package dev.komainu.agent.packet;

import com.sun.jna.Pointer;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.reflect.Field;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.pcap4j.core.BpfProgram;
import org.pcap4j.core.NotOpenException;
import org.pcap4j.core.PcapHandle;
import org.pcap4j.core.PcapNativeException;
import org.pcap4j.core.PcapNetworkInterface;
import org.pcap4j.core.PcapStat;
import org.pcap4j.core.Pcaps;

/**
 * One network interface, opened and configured by pcap4j, read by an own loop over its
 * {@code pcap_t*}. Non-blocking: {@link LiveCapture} waits for all interfaces at once, because
 * libpcap's own wait does not end on a silent link (TPACKET_V3 ignores the timeout). On loopback
 * libpcap passes on one of the two sightings of each packet.
 */
final class LiveInterface {

    /** Time after which the kernel delivers a block that is not full. */
    static final int BLOCK_TIMEOUT_MILLIS = 100;

    /** {@code PCAP_ERROR_NO_SUCH_DEVICE} and the like of pcap(3). */
    private static final int NO_SUCH_DEVICE = -5;

    private static final int PERM_DENIED = -8;
    private static final int PROMISC_PERM_DENIED = -11;

    /**
     * Largest age of a frame. A larger one means that the clock was set back, not that the frame is
     * old.
     */
    private static final long MAX_AGE_MICROS = 10_000_000;

    private static final int DLT_LINUX_SLL2 = 276;

    /** All of the native address space: a native address is an offset in it. */
    private static final MemorySegment ALL = MemorySegment.NULL.reinterpret(Long.MAX_VALUE);

    private final String name;
    private final PcapHandle handle;
    private final MemorySegment pcap;
    private final LinkType link;
    private final int descriptor;
    private long delivered;
    private long dropped;
    private boolean gone;
    private boolean drained;
    private long lastMicros = Long.MIN_VALUE;
    /** True: a frame was read and not delivered yet. */
    private boolean isWaiting;

    private long waitingMicros;
    /** Native addresses of that frame. */
    private long waitingHeader;

    private long waitingData;
    /** Packets captured before this instant are left out; see {@link #beginAt}. */
    private long beginMicros = Long.MIN_VALUE;

    private LiveInterface(String name, PcapHandle handle, MemorySegment pcap) {
        this.name = name;
        this.handle = handle;
        this.pcap = pcap;
        // Version 2 contains the interface at which a packet was seen.
        this.link = name.equals("any") && Pcap.setDatalink(pcap, DLT_LINUX_SLL2)
                ? LinkType.LINUX_SLL2
                : LinkType.of(handle.getDlt().value());
        this.descriptor = Pcap.selectableFd(pcap);
    }

    static LiveInterface open(String name, int snaplen, int bufferBytes)
            throws CaptureProblemException {
        if (!Pcap.available()) {
            throw new CaptureProblemException(
                    "no-libpcap",
                    "libpcap is not installed: packets cannot be captured",
                    "apt-get install libpcap0.8");
        }
        try {
            PcapHandle handle = new PcapHandle.Builder(name)
                    .snaplen(snaplen)
                    .promiscuousMode(PcapNetworkInterface.PromiscuousMode.PROMISCUOUS)
                    .timeoutMillis(BLOCK_TIMEOUT_MILLIS)
                    .bufferSize(bufferBytes)
                    .build();
            try {
                handle.setBlockingMode(PcapHandle.BlockingMode.NONBLOCKING);
                return new LiveInterface(name, handle, pointer(handle));
            } catch (NotOpenException | ReflectiveOperationException | RuntimeException e) {
                handle.close();
                throw new CaptureProblemException(
                        "capture-failed", "Cannot capture on " + name + ": " + e, null);
            }
        } catch (PcapNativeException e) {
            throw problem(name, e);
        }
    }

    /** Returns pcap4j's private {@code pcap_t*}; on the class path it can be read by reflection. */
    private static MemorySegment pointer(PcapHandle handle) throws ReflectiveOperationException {
        Field field = PcapHandle.class.getDeclaredField("handle");
        field.setAccessible(true);
        return MemorySegment.ofAddress(Pointer.nativeValue((Pointer) field.get(handle)));
    }

    /**
     * Returns the problem by libpcap's code: a part of its text comes from the C library, in the
     * user's language.
     */
    private static CaptureProblemException problem(String name, PcapNativeException failure) {
        int code = Objects.requireNonNullElse(failure.getReturnCode(), 0);
        // Without permission libpcap does not even check whether the interface exists.
        boolean denied = code == PERM_DENIED || code == PROMISC_PERM_DENIED;
        if (denied && !isUnknown(name)) {
            return new CaptureProblemException(
                    "no-capture-permission",
                    "No permission to capture on " + name + " (needs root or CAP_NET_RAW)",
                    "run as root, or with this right alone: sudo KOMAINU_RUN_AS=USER ./komainu agent, or"
                            + " AmbientCapabilities=CAP_NET_RAW in its unit (docs/security.md)");
        }
        if (denied || code == NO_SUCH_DEVICE) {
            return new CaptureProblemException(
                    "no-such-interface",
                    "capture.interfaces: " + name + " (expected: one of " + existing() + ")",
                    null);
        }
        return new CaptureProblemException(
                "capture-failed", "Cannot capture on " + name + ": " + failure.getMessage(), null);
    }

    /**
     * Reports whether the interface is known not to exist; false where that cannot be determined.
     */
    private static boolean isUnknown(String name) {
        try {
            List<PcapNetworkInterface> all = Pcaps.findAllDevs();
            return !all.isEmpty()
                    && all.stream().noneMatch(device -> device.getName().equals(name));
        } catch (PcapNativeException e) {
            return false;
        }
    }

    private static String existing() {
        try {
            List<PcapNetworkInterface> all = Pcaps.findAllDevs();
            return all.stream()
                    .map(PcapNetworkInterface::getName)
                    .collect(Collectors.joining(", "));
        } catch (PcapNativeException e) {
            return "those of ip link";
        }
    }

    /**
     * Limits the capture to TCP of these ports, including VLAN-tagged packets where the link has
     * them; empty: all TCP.
     */
    void filter(Collection<Integer> ports) throws CaptureProblemException {
        String plain = ports.isEmpty()
                ? "tcp"
                : ports.stream()
                        .sorted()
                        .map(port -> "port " + port)
                        .collect(Collectors.joining(" or ", "tcp and (", ")"));
        if (!trySet("(" + plain + ") or (vlan and (" + plain + "))") && !trySet(plain)) {
            throw new CaptureProblemException(
                    "capture-failed", "Cannot set a filter on " + name + ": " + plain, null);
        }
    }

    private boolean trySet(String expression) {
        try {
            handle.setFilter(expression, BpfProgram.BpfCompileMode.OPTIMIZE);
            return true;
        } catch (PcapNativeException | NotOpenException e) {
            return false;
        }
    }

    /**
     * Returns the instant of the next available frame; {@link Long#MAX_VALUE} when there is none.
     *
     * @param places room for two native pointers, reused
     */
    long nextMicros(MemorySegment places) {
        return isWaiting || read(places) ? waitingMicros : Long.MAX_VALUE;
    }

    /** Reads a frame; libpcap keeps it until the next one is read. */
    private boolean read(MemorySegment places) {
        int result = gone ? 0 : Pcap.nextEx(pcap, places, places.asSlice(8));
        if (result != 1) {
            gone |= result == -1;
            return false;
        }
        waitingHeader = places.get(ValueLayout.JAVA_LONG, 0);
        waitingData = places.get(ValueLayout.JAVA_LONG, 8);
        // struct pcap_pkthdr: struct timeval (two words), captured length, length on the wire.
        waitingMicros = ALL.get(ValueLayout.JAVA_LONG, waitingHeader) * 1_000_000
                + ALL.get(ValueLayout.JAVA_LONG, waitingHeader + 8);
        isWaiting = true;
        return true;
    }

    /**
     * Delivers up to {@code most} available frames; returns how many were read.
     *
     * @param places room for two native pointers, reused
     * @param throughMicros instant after which frames stay for a later call
     */
    int drain(FrameSink sink, MemorySegment places, int most, long throughMicros) {
        int count = 0;
        int before = 0;
        drained = false;
        while (count < most) {
            if (!isWaiting && !read(places)) {
                drained = true;
                break;
            }
            if (waitingMicros > throughMicros) {
                break;
            }
            isWaiting = false;
            count++;
            lastMicros = waitingMicros;
            if (beginMicros != Long.MIN_VALUE && isBefore(waitingMicros)) {
                before++;
                continue;
            }
            sink.frame(
                    waitingMicros,
                    link,
                    ALL,
                    waitingData,
                    ALL.get(ValueLayout.JAVA_INT, waitingHeader + 16),
                    ALL.get(ValueLayout.JAVA_INT, waitingHeader + 20));
        }
        delivered += count - before;
        return count;
    }

    private boolean isBefore(long micros) {
        if (micros < beginMicros && beginMicros - micros < MAX_AGE_MICROS) {
            return true;
        }
        beginMicros = Long.MIN_VALUE;
        return false;
    }

    /**
     * Leaves out packets captured before this instant. To be called before the first
     * {@link #drain}.
     */
    void beginAt(long micros) {
        beginMicros = micros;
    }

    /** Reports whether the last {@link #drain} found no more frames; the capture thread only. */
    boolean isDrained() {
        return drained;
    }

    /** Returns the instant of the newest frame read so far; the capture thread only. */
    long lastMicros() {
        return lastMicros;
    }

    /** Reads the kernel's drop counter; the capture thread only. */
    void refreshDropped() {
        try {
            PcapStat stat = handle.getStats();
            dropped = stat.getNumPacketsDropped();
        } catch (PcapNativeException | NotOpenException e) {
            // Keeps the last value: the interface has gone.
            gone = true;
        }
    }

    String name() {
        return name;
    }

    int descriptor() {
        return descriptor;
    }

    long delivered() {
        return delivered;
    }

    long dropped() {
        return dropped;
    }

    /** Reports whether the interface was removed or went down while it was read. */
    boolean isGone() {
        return gone;
    }

    @Nullable
    String error() {
        try {
            return handle.getError();
        } catch (NotOpenException e) {
            return null;
        }
    }

    void close() {
        handle.close();
    }
}
