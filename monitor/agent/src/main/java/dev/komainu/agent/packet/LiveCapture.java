package dev.komainu.agent.packet;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Live interfaces, all read by the one thread that calls {@link #run}. It reads all rings in slices
 * of {@value #SLICE_MICROS} us, each ring in turn, and waits in one {@code poll} for all of them
 * when they are empty, at most {@value #WAIT_MILLIS} ms, so that neither the clock nor a stop waits
 * for a packet.
 */
public final class LiveCapture implements PacketSource {

    private static final int WAIT_MILLIS = 100;
    private static final int LAST_WAIT_MILLIS = 10;
    private static final int MOST_AT_ONCE = 1_024;
    private static final long HOUSEKEEPING_NANOS = 100_000_000;
    /** Longest time between the first packet of a block and the delivery of the block. */
    private static final long MAX_DELIVERY_MICROS =
            (LiveInterface.BLOCK_TIMEOUT_MILLIS + 100) * 1_000L;

    /**
     * Time after which an empty ring stays empty: the kernel delivers a block that is not full
     * after 100 ms, plus a margin for its timer.
     */
    private static final long DRAINED_NANOS =
            (LiveInterface.BLOCK_TIMEOUT_MILLIS + 50) * 1_000_000L;

    private static final long LONGEST_FINISH_NANOS = 600_000_000;
    /** Two processors may store packets of almost the same time in the other order. */
    private static final long REORDER_MICROS = 1_000;
    /** Time by which one interface is read ahead of another. */
    private static final long SLICE_MICROS = 5_000;

    private final LiveCaptureConfig config;
    /** Replaced by the reading thread, or before it begins. */
    private volatile List<LiveInterface> interfaces;
    /** Interfaces that were reopened and are not read yet. */
    private final Queue<LiveInterface> arrivals = new ConcurrentLinkedQueue<>();
    // The reading thread's: counts of interfaces that were replaced.
    private long deliveredBefore;
    private long droppedBefore;

    private final AtomicReference<@Nullable Set<Integer>> newPorts = new AtomicReference<>();
    // Guarded by this.
    private boolean running;
    private boolean closed;

    private volatile boolean stopped;
    private volatile long delivered;
    private volatile long dropped;
    private volatile List<String> gone = List.of();

    /** Instant at which all lanes of one capture begin; 0 until the first of them does. */
    private final AtomicLong beginning;

    private volatile @Nullable Finish finish;

    /**
     * Request to end: packets captured until {@code micros} are still to be read; requested at
     * {@code nanos}.
     */
    private record Finish(long micros, long nanos) {}

    LiveCapture(LiveCaptureConfig config, List<LiveInterface> interfaces, AtomicLong beginning) {
        this.config = config;
        this.interfaces = List.copyOf(interfaces);
        this.beginning = beginning;
    }

    /**
     * Opens interfaces for one thread, independent of the threads in {@code config}; see
     * {@link CaptureLanes#open}.
     */
    public static LiveCapture open(LiveCaptureConfig config) throws CaptureProblemException {
        return CaptureLanes.open(config.withThreads(1)).lanes().getFirst();
    }

    /** Reports whether the interface is read now, or soon will be. */
    boolean reads(String name) {
        return interfaces.stream()
                        .anyMatch(networkInterface ->
                                networkInterface.name().equals(name) && !gone.contains(name))
                || arrivals.stream()
                        .anyMatch(networkInterface -> networkInterface.name().equals(name));
    }

    /** Adds this interface, in place of one of the same name. Any thread. */
    synchronized void add(LiveInterface networkInterface) {
        if (closed) {
            networkInterface.close();
        } else {
            arrivals.add(networkInterface);
        }
    }

    /** Replaces the watched server ports. Any thread; takes effect within 200 ms. */
    public void watch(Set<Integer> ports) {
        newPorts.set(Set.copyOf(ports));
    }

    /** Returns the names of the interfaces that are read. Any thread. */
    public List<String> interfaces() {
        return interfaces.stream().map(LiveInterface::name).toList();
    }

    /** Returns the interfaces that went away while they were read. Any thread. */
    public List<String> gone() {
        return gone;
    }

    /**
     * Reads frames until {@link #stop} or {@link #finish}.
     *
     * @throws IOException when no interface is left to read
     */
    @Override
    public void run(FrameSink sink) throws IOException {
        synchronized (this) {
            if (closed) {
                return;
            }
            running = true;
        }
        try {
            read(sink);
        } finally {
            synchronized (this) {
                running = false;
                if (closed) {
                    closeAll();
                }
            }
        }
    }

    private void closeAll() {
        interfaces.forEach(LiveInterface::close);
        for (LiveInterface networkInterface = arrivals.poll();
                networkInterface != null;
                networkInterface = arrivals.poll()) {
            networkInterface.close();
        }
    }

    private void read(FrameSink sink) throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment places = arena.allocate(16, 8);
            PollSet pollSet = new PollSet(arena, config.interfaces().size());
            pollSet.set(interfaces);
            long housekeepingAt = System.nanoTime();
            // Time begins when every interface is open, not before. A second that was watched only
            // in part must be the first one reported: when two probes watch one server, the first
            // second is taken from the other probe.
            beginning.compareAndSet(0, wallMicros());
            long opened = beginning.get();
            sink.idle(opened);
            while (!stopped) {
                Finish end = finish;
                long waited = end == null ? 0 : System.nanoTime() - end.nanos();
                int count = 0;
                List<LiveInterface> now = interfaces;
                long through = now.size() == 1 ? Long.MAX_VALUE : endOfSlice(now, places);
                for (int i = 0; i < now.size(); i++) {
                    if (now.size() > 1) {
                        sink.setInterface(i);
                    }
                    count += now.get(i).drain(sink, places, MOST_AT_ONCE, through);
                }
                long nanos = System.nanoTime();
                if (count == 0 || nanos - housekeepingAt >= 0) {
                    housekeepingAt = nanos + HOUSEKEEPING_NANOS;
                    doHousekeeping();
                    if (!arrivals.isEmpty()) {
                        addArrivals();
                        pollSet.set(interfaces);
                    }
                    if (count == 0) {
                        sink.idle(Math.max(opened, wallMicros() - MAX_DELIVERY_MICROS));
                        pollSet.await(end == null ? WAIT_MILLIS : LAST_WAIT_MILLIS);
                        if (!gone.isEmpty()) {
                            pollSet.set(interfaces);
                            requireInterfaces();
                        }
                    }
                }
                if (end != null && isFinished(end, waited)) {
                    break;
                }
            }
            doHousekeeping();
        }
    }

    /**
     * Returns the instant until which all rings are read now. After the thread had to wait for the
     * processor, each ring may contain some seconds: without a common end, the windows of these
     * seconds would be over before the second ring is read.
     */
    private static long endOfSlice(List<LiveInterface> interfaces, MemorySegment places) {
        long oldest = Long.MAX_VALUE;
        for (LiveInterface networkInterface : interfaces) {
            oldest = Math.min(oldest, networkInterface.nextMicros(places));
        }
        return oldest == Long.MAX_VALUE ? oldest : oldest + SLICE_MICROS;
    }

    /**
     * Reports whether the capture can end. Packets captured before the request may still wait in a
     * block that is not full.
     *
     * @param waited nanoseconds from the request to the last read of the rings
     */
    private boolean isFinished(Finish end, long waited) {
        if (waited > LONGEST_FINISH_NANOS) {
            return true;
        }
        for (LiveInterface networkInterface : interfaces) {
            boolean drained = (waited > DRAINED_NANOS && networkInterface.isDrained())
                    || networkInterface.isGone();
            if (!drained && networkInterface.lastMicros() < end.micros()) {
                return false;
            }
        }
        return true;
    }

    /** Adds the arrivals, in place of interfaces of the same name that went away. */
    private void addArrivals() {
        List<LiveInterface> next = new ArrayList<>(interfaces);
        for (LiveInterface networkInterface = arrivals.poll();
                networkInterface != null;
                networkInterface = arrivals.poll()) {
            String name = networkInterface.name();
            for (LiveInterface old : interfaces) {
                if (old.name().equals(name)) {
                    deliveredBefore += old.delivered();
                    droppedBefore += old.dropped();
                    next.remove(old);
                    old.close();
                }
            }
            next.add(networkInterface);
        }
        interfaces = List.copyOf(next);
        gone = interfaces.stream()
                .filter(LiveInterface::isGone)
                .map(LiveInterface::name)
                .toList();
    }

    private void requireInterfaces() throws IOException {
        if (gone.size() == interfaces.size()) {
            throw new IOException("No interface left to capture on: " + String.join(", ", gone)
                    + " went away (" + interfaces.getFirst().error() + ")");
        }
    }

    /** Does the work that is too expensive per packet: publishes counters, changes the filter. */
    private void doHousekeeping() {
        long sumDelivered = deliveredBefore;
        long sumDropped = droppedBefore;
        int lost = 0;
        Set<Integer> ports = newPorts.getAndSet(null);
        for (LiveInterface networkInterface : interfaces) {
            networkInterface.refreshDropped();
            sumDelivered += networkInterface.delivered();
            sumDropped += networkInterface.dropped();
            if (ports != null) {
                try {
                    networkInterface.filter(ports);
                } catch (CaptureProblemException e) {
                    // The previous filter stays; its packets are counted as unwatched.
                    continue;
                }
            }
            if (networkInterface.isGone()) {
                lost++;
            }
        }
        delivered = sumDelivered;
        dropped = sumDropped;
        if (lost != gone.size()) {
            gone = interfaces.stream()
                    .filter(LiveInterface::isGone)
                    .map(LiveInterface::name)
                    .toList();
        }
    }

    static long wallMicros() {
        Instant now = Instant.now();
        return now.getEpochSecond() * 1_000_000 + now.getNano() / 1_000;
    }

    /**
     * Makes {@link #run} return when everything captured until now was read: on a silent link after
     * 0.15 s, else as soon as a later packet comes, and after 0.6 s in any case. Any thread.
     */
    public void finish() {
        finish = new Finish(wallMicros() + REORDER_MICROS, System.nanoTime());
    }

    @Override
    public void stop() {
        stopped = true;
    }

    @Override
    public boolean mayRepeat() {
        return config.mirror()
                || config.interfaces().size() > 1
                || config.interfaces().contains("any");
    }

    /** Up to 100 ms old. */
    @Override
    public long delivered() {
        return delivered;
    }

    /** Up to 100 ms old. */
    @Override
    public long dropped() {
        return dropped;
    }

    /** Frees the ring when no thread reads it any more: a later read would end the process. */
    @Override
    public synchronized void close() {
        stopped = true;
        if (!closed && !running) {
            closeAll();
        }
        closed = true;
    }
}
