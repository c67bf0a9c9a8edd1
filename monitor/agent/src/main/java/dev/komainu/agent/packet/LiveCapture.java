package dev.komainu.agent.packet;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Live interfaces, all read by the one thread that calls {@link #run}: it drains each ring in turn and sleeps in one
 * {@code poll} for all when they are empty, at most {@value #WAIT_MILLIS} ms, so that neither the clock nor a stop waits
 * for a packet.
 */
public final class LiveCapture implements PacketSource {

    private static final int WAIT_MILLIS = 100;
    private static final int MOST_AT_ONCE = 1_024;
    private static final long HOUSEKEEPING_NANOS = 100_000_000;
    /** A block reaches us at the latest this long after its first packet. */
    private static final long BEHIND_MICROS = (LiveInterface.BLOCK_TIMEOUT_MILLIS + 100) * 1_000L;

    private static final short POLLIN = 1;
    private static final int POLL_BYTES = 8;

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

    private LiveCapture(LiveCaptureConfig config, List<LiveInterface> interfaces) {
        this.config = config;
        this.interfaces = List.copyOf(interfaces);
    }

    /**
     * Opens every interface that can be opened; packets are kept by the kernel from now on. What is missing is taken up
     * by {@link #takeUpAgain}.
     *
     * @throws CaptureProblemException when none of them can be opened; tells of the first
     */
    public static LiveCapture open(LiveCaptureConfig config) throws CaptureProblemException {
        List<LiveInterface> opened = new ArrayList<>();
        CaptureProblemException first = null;
        for (String name : config.interfaces()) {
            try {
                opened.add(open(name, config));
            } catch (CaptureProblemException e) {
                first = first == null ? e : first;
            }
        }
        if (opened.isEmpty() && first != null) {
            throw first;
        }
        return new LiveCapture(config, opened);
    }

    private static LiveInterface open(String name, LiveCaptureConfig config) throws CaptureProblemException {
        LiveInterface face = LiveInterface.open(name, config.snaplen(), config.bufferBytes());
        boolean done = false;
        try {
            face.filter(config.ports());
            done = true;
            return face;
        } finally {
            if (!done) {
                face.close();
            }
        }
    }

    /**
     * Opens interfaces that were missing or went away, if they are there now; their packets follow those of the others.
     * One thread, any.
     *
     * @return why one of them still cannot be read; null when all are
     */
    public @Nullable CaptureProblemException takeUpAgain() {
        CaptureProblemException problem = null;
        for (String name : config.interfaces()) {
            boolean there = interfaces.stream().anyMatch(face -> face.name().equals(name) && !gone.contains(name))
                    || arrivals.stream().anyMatch(face -> face.name().equals(name));
            if (!there) {
                try {
                    LiveInterface face = open(name, config);
                    synchronized (this) {
                        if (closed) {
                            face.close();
                        } else {
                            arrivals.add(face);
                        }
                    }
                } catch (CaptureProblemException e) {
                    problem = problem == null ? e : problem;
                }
            }
        }
        return problem;
    }

    /** Loopback and the interface of the default route, as far as they exist. */
    public static List<String> defaultInterfaces() {
        List<String> names = new ArrayList<>();
        try {
            NetworkInterface.networkInterfaces().forEach(face -> {
                try {
                    if (face.isLoopback() && face.isUp()) {
                        names.add(face.getName());
                    }
                } catch (SocketException e) {
                    // It went away while we looked.
                    return;
                }
            });
        } catch (SocketException e) {
            // No interfaces at all: the list stays empty.
            return names;
        }
        Path routes = Path.of("/proc/net/route");
        if (Files.isReadable(routes)) {
            try {
                // Iface Destination Gateway …; the default route's destination is zero.
                Files.readAllLines(routes, StandardCharsets.US_ASCII).stream()
                        .map(line -> line.split("\\s+"))
                        .filter(fields -> fields.length > 1 && fields[1].equals("00000000"))
                        .map(fields -> fields[0])
                        .filter(name -> !names.contains(name))
                        .limit(1)
                        .forEach(names::add);
            } catch (IOException e) {
                // Without a routing table loopback is all there is to offer.
                return names;
            }
        }
        return names;
    }

    /** Watches these server ports from now on, in place of those before. Any thread; takes effect within 200 ms. */
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
            MemorySegment descriptors =
                    arena.allocate((long) POLL_BYTES * config.interfaces().size(), 8);
            describe(descriptors);
            long housekeepingAt = System.nanoTime();
            // Time begins when every interface is open, not a little before: a second that was watched in part must be
            // the first one told, since the first is what others are asked for when two probes watch one server.
            long opened = wallMicros();
            sink.idle(opened);
            while (!stopped) {
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
                        describe(descriptors);
                    }
                    if (count == 0) {
                        sink.idle(Math.max(opened, wallMicros() - BEHIND_MICROS));
                        // A vanished interface polls as ready for ever; it is left out (negative descriptor).
                        Pcap.poll(descriptors, interfaces.size(), WAIT_MILLIS);
                        leaveOutGone(descriptors);
                    }
                }
            }
            keepHouse();
        }
    }

    private void describe(MemorySegment descriptors) {
        for (int i = 0; i < interfaces.size(); i++) {
            descriptors.set(
                    ValueLayout.JAVA_INT,
                    (long) i * POLL_BYTES,
                    interfaces.get(i).descriptor());
            descriptors.set(ValueLayout.JAVA_SHORT, (long) i * POLL_BYTES + 4, POLLIN);
        }
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

    private void leaveOutGone(MemorySegment descriptors) throws IOException {
        if (gone.isEmpty()) {
            return;
        }
        for (int i = 0; i < interfaces.size(); i++) {
            if (interfaces.get(i).isGone()) {
                descriptors.set(ValueLayout.JAVA_INT, (long) i * POLL_BYTES, -1);
            }
        }
        if (gone.size() == interfaces.size()) {
            throw new IOException("No interface left to capture on: " + String.join(", ", gone) + " went away ("
                    + interfaces.getFirst().error() + ")");
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

    private static long wallMicros() {
        java.time.Instant now = java.time.Instant.now();
        return now.getEpochSecond() * 1_000_000 + now.getNano() / 1_000;
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

    /** The ring is given back when nobody reads it any more: a read beyond that would end the process. */
    @Override
    public synchronized void close() {
        stopped = true;
        if (!closed && !running) {
            closeAll();
        }
        closed = true;
    }
}
