package dev.komainu.agent.packet;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Live interfaces, read by one thread or by several, with one lane per thread. Every lane reads
 * every interface; with several lanes the kernel distributes the packets by connection
 * ({@link PacketFanout}), so that lanes share nothing. Where the kernel refuses there is one lane,
 * and {@link #refusal} returns the reason.
 */
public final class CaptureLanes implements AutoCloseable {

    private final LiveCaptureConfig config;
    private final List<LiveCapture> lanes;
    private final @Nullable String refusal;

    private CaptureLanes(
            LiveCaptureConfig config, List<List<LiveInterface>> opened, @Nullable String refusal) {
        this.config = config;
        this.refusal = refusal;
        AtomicLong beginning = new AtomicLong();
        List<LiveCapture> captures = new ArrayList<>();
        for (int i = 0; i < config.threads(); i++) {
            int lane = i;
            captures.add(new LiveCapture(
                    config, opened.stream().map(sockets -> sockets.get(lane)).toList(), beginning));
        }
        this.lanes = List.copyOf(captures);
    }

    /**
     * Opens every interface that can be opened; from now on the kernel keeps their packets. Missing
     * interfaces are opened later by {@link #reopen}.
     *
     * @throws CaptureProblemException when none of them can be opened; describes the first
     */
    public static CaptureLanes open(LiveCaptureConfig config) throws CaptureProblemException {
        try {
            return new CaptureLanes(config, openAll(config), null);
        } catch (RefusedException e) {
            // A packet that is seen at two interfaces must come to one lane: so the packets of all
            // interfaces are distributed, or of none.
            try {
                LiveCaptureConfig singleThread = config.withThreads(1);
                return new CaptureLanes(singleThread, openAll(singleThread), e.getMessage());
            } catch (RefusedException refused) {
                throw new IllegalStateException(refused);
            }
        }
    }

    private static List<List<LiveInterface>> openAll(LiveCaptureConfig config)
            throws CaptureProblemException, RefusedException {
        List<List<LiveInterface>> opened = new ArrayList<>();
        CaptureProblemException first = null;
        boolean done = false;
        try {
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
            done = true;
            return opened;
        } finally {
            if (!done) {
                opened.forEach(sockets -> sockets.forEach(LiveInterface::close));
            }
        }
    }

    /** Opens one socket for each lane. */
    private static List<LiveInterface> open(String name, LiveCaptureConfig config)
            throws CaptureProblemException, RefusedException {
        List<LiveInterface> sockets = new ArrayList<>();
        boolean done = false;
        try {
            for (int i = 0; i < config.threads(); i++) {
                LiveInterface networkInterface =
                        LiveInterface.open(name, config.snaplen(), config.bufferBytes());
                sockets.add(networkInterface);
                networkInterface.filter(config.ports());
            }
            if (config.threads() > 1) {
                String reason = PacketFanout.join(sockets);
                if (reason != null) {
                    throw new RefusedException(reason);
                }
                // Until all had joined the group, each socket received packets of the others.
                long now = LiveCapture.wallMicros();
                sockets.forEach(networkInterface -> networkInterface.beginAt(now));
            }
            done = true;
            return sockets;
        } finally {
            if (!done) {
                sockets.forEach(LiveInterface::close);
            }
        }
    }

    /**
     * Returns one capture for each reading thread; the first one to read sets the beginning of time
     * for all.
     */
    public List<LiveCapture> lanes() {
        return lanes;
    }

    /** Returns the reason why one thread reads although more were requested; null when all do. */
    public @Nullable String refusal() {
        return refusal;
    }

    /**
     * Opens interfaces that were missing or went away, if they are there now; their packets follow
     * those of the others. One thread, any. Returns the reason why one of them still cannot be
     * read; null when all are.
     */
    public @Nullable CaptureProblemException reopen() {
        CaptureProblemException problem = null;
        for (String name : config.interfaces()) {
            if (!lanes.stream().allMatch(lane -> lane.reads(name))) {
                try {
                    List<LiveInterface> sockets = open(name, config);
                    for (int i = 0; i < lanes.size(); i++) {
                        lanes.get(i).add(sockets.get(i));
                    }
                } catch (CaptureProblemException e) {
                    problem = problem == null ? e : problem;
                } catch (RefusedException e) {
                    problem = new CaptureProblemException(
                            "capture-failed", "Cannot distribute packets: " + e.getMessage(), null);
                }
            }
        }
        return problem;
    }

    /** Returns the names of the interfaces that are read. Any thread. */
    public List<String> interfaces() {
        return lanes.getFirst().interfaces();
    }

    /** Returns the interfaces that went away while they were read. Any thread. */
    public List<String> gone() {
        return lanes.stream().flatMap(lane -> lane.gone().stream()).distinct().toList();
    }

    /** See {@link LiveCapture#finish}. */
    public void finish() {
        lanes.forEach(LiveCapture::finish);
    }

    @Override
    public void close() {
        lanes.forEach(LiveCapture::close);
    }

    /** The kernel refuses to distribute packets. */
    private static final class RefusedException extends Exception {

        private static final long serialVersionUID = 1;

        RefusedException(String message) {
            super(message);
        }
    }
}
