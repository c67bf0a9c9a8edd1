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
 * Live interfaces, all read by the one thread that calls {@link #run}: it drains each ring in turn
 * and sleeps in one {@code poll} for all when they are empty, at most {@value #WAIT_MILLIS} ms, so
 * that neither the clock nor a stop waits for a packet.
 */
public final class LiveCapture implements PacketSource {

    private static final int WAIT_MILLIS = 100;
    private static final int LAST_WAIT_MILLIS = 10;
    private static final int MOST_AT_ONCE = 1_024;
    private static final long HOUSEKEEPING_NANOS = 100_000_000;
    /** A block reaches us at the latest this long after its first packet. */
    private static final long BEHIND_MICROS = (LiveInterface.BLOCK_TIMEOUT_MILLIS + 100) * 1_000L;

    /** The kernel hands over a block that is not full after 100 ms, and a little for its timer. */
    private static final long DRY_NANOS = (LiveInterface.BLOCK_TIMEOUT_MILLIS + 50) * 1_000_000L;

    private static final long LONGEST_FINISH_NANOS = 600_000_000;
    /** Two processors may store what they saw at almost the same time in the other order. */
    private static final long DISORDER_MICROS = 1_000;

    private final LiveCaptureConfig config;
    /** Replaced by the reader, or before it begins. */
    private volatile List<LiveInterface> interfaces;
    /** Opened anew and not yet read. */
    private final Queue<LiveInterface> arrivals = new ConcurrentLinkedQueue<>();
    // The reader's: counts of interfaces that were replaced.
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

    /** The instant at which all lanes of one capture begin; 0 until the first of them does. */
    private final AtomicLong beginning;

    private volatile @Nullable Finish finish;

    /** What was captured until {@code micros} is still to be read; asked for at {@code nanos}. */
    private record Finish(long micros, long nanos) {}

    LiveCapture(LiveCaptureConfig config, List<LiveInterface> interfaces, AtomicLong beginning) {
        this.config = config;
        this.interfaces = List.copyOf(interfaces);
        this.beginning = beginning;
    }

    /**
     * Opens interfaces for one thread, whatever {@code config} says; see {@link CaptureLanes#open}.
     */
    public static LiveCapture open(LiveCaptureConfig config) throws CaptureProblemException {
        return CaptureLanes.open(config.withThreads(1)).lanes().getFirst();
    }

    /** Whether the interface is read now, or soon will be. */
    boolean reads(String name) {
        return interfaces.stream()
                        .anyMatch(face -> face.name().equals(name) && !gone.contains(name))
                || arrivals.stream().anyMatch(face -> face.name().equals(name));
    }

    /** Reads this interface too, in place of one of the same name. Any thread. */
    synchronized void take(LiveInterface face) {
        if (closed) {
            face.close();
        } else {
            arrivals.add(face);
        }
    }

    /**
     * Watches these server ports from now on, in place of those before. Any thread; takes effect
     * within 200 ms.
     */
    public void watch(Set<Integer> ports) {
        newPorts.set(Set.copyOf(ports));
    }

    /** Names of the interfaces read. Any thread. */
    public List<String> interfaces() {
        return interfaces.stream().map(LiveInterface::name).toList();
    }

    /** Interfaces that were taken away while being read. Any thread. */
    public List<String> gone() {
        return gone;
    }

    /** @throws IOException when no interface is left to read */
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
        for (LiveInterface face = arrivals.poll(); face != null; face = arrivals.poll()) {
            face.close();
        }
    }

    private void read(FrameSink sink) throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment places = arena.allocate(16, 8);
            PollSet polled = new PollSet(arena, config.interfaces().size());
            polled.set(interfaces);
            long housekeepingAt = System.nanoTime();
            // Time begins when every interface is open, not a little before: a second that was
            // watched in part must be the first one told, since the first is what others are asked
            // for when two probes watch one server.
            beginning.compareAndSet(0, wallMicros());
            long opened = beginning.get();
            sink.idle(opened);
            while (!stopped) {
                Finish end = finish;
                long waited = end == null ? 0 : System.nanoTime() - end.nanos();
                int count = 0;
                List<LiveInterface> now = interfaces;
                for (int i = 0; i < now.size(); i++) {
                    if (now.size() > 1) {
                        sink.from(i);
                    }
                    count += now.get(i).drain(sink, places, MOST_AT_ONCE);
                }
                long nanos = System.nanoTime();
                if (count == 0 || nanos - housekeepingAt >= 0) {
                    housekeepingAt = nanos + HOUSEKEEPING_NANOS;
                    keepHouse();
                    if (!arrivals.isEmpty()) {
                        takeArrivals();
                        polled.set(interfaces);
                    }
                    if (count == 0) {
                        sink.idle(Math.max(opened, wallMicros() - BEHIND_MICROS));
                        polled.await(end == null ? WAIT_MILLIS : LAST_WAIT_MILLIS);
                        if (!gone.isEmpty()) {
                            polled.set(interfaces);
                            refuseToReadNothing();
                        }
                    }
                }
                if (end != null && isFinished(end, waited)) {
                    break;
                }
            }
            keepHouse();
        }
    }

    /**
     * Packets captured before the end was asked for may wait in a block that is not full.
     *
     * @param waited since it was asked for, when the rings were last looked into
     */
    private boolean isFinished(Finish end, long waited) {
        if (waited > LONGEST_FINISH_NANOS) {
            return true;
        }
        for (LiveInterface face : interfaces) {
            boolean dry = waited > DRY_NANOS && face.isDry() || face.isGone();
            if (!dry && face.lastMicros() < end.micros()) {
                return false;
            }
        }
        return true;
    }

    /** In place of those of the same name that went away. */
    private void takeArrivals() {
        List<LiveInterface> next = new ArrayList<>(interfaces);
        for (LiveInterface face = arrivals.poll(); face != null; face = arrivals.poll()) {
            String name = face.name();
            for (LiveInterface old : interfaces) {
                if (old.name().equals(name)) {
                    deliveredBefore += old.delivered();
                    droppedBefore += old.dropped();
                    next.remove(old);
                    old.close();
                }
            }
            next.add(face);
        }
        interfaces = List.copyOf(next);
        gone = interfaces.stream()
                .filter(LiveInterface::isGone)
                .map(LiveInterface::name)
                .toList();
    }

    private void refuseToReadNothing() throws IOException {
        if (gone.size() == interfaces.size()) {
            throw new IOException("No interface left to capture on: " + String.join(", ", gone)
                    + " went away (" + interfaces.getFirst().error() + ")");
        }
    }

    /** What must not be done with every packet: counters for others, a changed filter. */
    private void keepHouse() {
        long sumDelivered = deliveredBefore;
        long sumDropped = droppedBefore;
        int lost = 0;
        Set<Integer> ports = newPorts.getAndSet(null);
        for (LiveInterface face : interfaces) {
            face.refreshDropped();
            sumDelivered += face.delivered();
            sumDropped += face.dropped();
            if (ports != null) {
                try {
                    face.filter(ports);
                } catch (CaptureProblemException e) {
                    // The filter before it stays; its packets are counted as unwatched.
                    continue;
                }
            }
            if (face.isGone()) {
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
     * 0.15 s, else as soon as a later packet comes, and after 0.6 s whatever waits. Any thread.
     */
    public void finish() {
        finish = new Finish(wallMicros() + DISORDER_MICROS, System.nanoTime());
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

    /**
     * The ring is given back when nobody reads it any more: a read beyond that would end the
     * process.
     */
    @Override
    public synchronized void close() {
        stopped = true;
        if (!closed && !running) {
            closeAll();
        }
        closed = true;
    }
}
