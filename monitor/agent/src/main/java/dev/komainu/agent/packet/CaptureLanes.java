package dev.komainu.agent.packet;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Live interfaces, read by one thread or by several: a lane each. Every lane reads every interface;
 * with several the kernel deals the packets out by connection ({@link PacketFanout}), so that lanes
 * share nothing. Where it refuses there is one lane, and {@link #refusal} says why.
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
        List<LiveCapture> each = new ArrayList<>();
        for (int i = 0; i < config.threads(); i++) {
            int lane = i;
            each.add(new LiveCapture(
                    config, opened.stream().map(sockets -> sockets.get(lane)).toList(), beginning));
        }
        this.lanes = List.copyOf(each);
    }

    /**
     * Opens every interface that can be opened; packets are kept by the kernel from now on. What is
     * missing is taken up by {@link #takeUpAgain}.
     *
     * @throws CaptureProblemException when none of them can be opened; tells of the first
     */
    public static CaptureLanes open(LiveCaptureConfig config) throws CaptureProblemException {
        try {
            return new CaptureLanes(config, openAll(config), null);
        } catch (RefusedException e) {
            // A packet that is seen at two interfaces must come to one lane: so all of them are
            // dealt out, or none.
            try {
                LiveCaptureConfig alone = config.withThreads(1);
                return new CaptureLanes(alone, openAll(alone), e.getMessage());
            } catch (RefusedException impossible) {
                throw new IllegalStateException(impossible);
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

    /** A socket for each lane. */
    private static List<LiveInterface> open(String name, LiveCaptureConfig config)
            throws CaptureProblemException, RefusedException {
        List<LiveInterface> sockets = new ArrayList<>();
        boolean done = false;
        try {
            for (int i = 0; i < config.threads(); i++) {
                LiveInterface face =
                        LiveInterface.open(name, config.snaplen(), config.bufferBytes());
                sockets.add(face);
                face.filter(config.ports());
            }
            if (config.threads() > 1) {
                String why = PacketFanout.join(sockets);
                if (why != null) {
                    throw new RefusedException(why);
                }
                // Until they had all joined, each of them got packets of the others.
                long now = LiveCapture.wallMicros();
                sockets.forEach(face -> face.beginAt(now));
            }
            done = true;
            return sockets;
        } finally {
            if (!done) {
                sockets.forEach(LiveInterface::close);
            }
        }
    }

    /** One for each thread that is to read; the first to read begins time for all. */
    public List<LiveCapture> lanes() {
        return lanes;
    }

    /** Why one thread reads though more were asked for; null when all do. */
    public @Nullable String refusal() {
        return refusal;
    }

    /**
     * Opens interfaces that were missing or went away, if they are there now; their packets follow
     * those of the others. One thread, any.
     *
     * @return why one of them still cannot be read; null when all are
     */
    public @Nullable CaptureProblemException takeUpAgain() {
        CaptureProblemException problem = null;
        for (String name : config.interfaces()) {
            if (!lanes.stream().allMatch(lane -> lane.reads(name))) {
                try {
                    List<LiveInterface> sockets = open(name, config);
                    for (int i = 0; i < lanes.size(); i++) {
                        lanes.get(i).take(sockets.get(i));
                    }
                } catch (CaptureProblemException e) {
                    problem = problem == null ? e : problem;
                } catch (RefusedException e) {
                    problem = new CaptureProblemException(
                            "capture-failed", "Cannot share out: " + e.getMessage(), null);
                }
            }
        }
        return problem;
    }

    /** Names of the interfaces read. Any thread. */
    public List<String> interfaces() {
        return lanes.getFirst().interfaces();
    }

    /** Interfaces that were taken away while being read. Any thread. */
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

    /** The kernel does not deal out. */
    private static final class RefusedException extends Exception {

        private static final long serialVersionUID = 1;

        RefusedException(String message) {
            super(message);
        }
    }
}
