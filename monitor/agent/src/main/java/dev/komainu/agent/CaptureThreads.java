package dev.komainu.agent;

import dev.komainu.agent.packet.CaptureLanes;
import dev.komainu.agent.packet.FrameDecoder;
import dev.komainu.agent.packet.LiveCapture;
import dev.komainu.agent.packet.MalformedCaptureException;
import dev.komainu.agent.summary.CaptureSession;
import dev.komainu.telemetry.record.SourceStatus;
import java.io.IOException;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * The threads that read packets, one a lane. They begin and end together: without one of them a
 * part of the packets is missing.
 */
final class CaptureThreads {

    private static final long LONGEST_STOP_NANOS = 2_000_000_000L;

    private final CaptureLanes lanes;
    private final Consumer<Exception> failed;
    private final List<CaptureSession> sessions = new ArrayList<>();
    private final List<Thread> threads = new ArrayList<>();

    /**
     * Creates the threads without starting them.
     *
     * @param session creates the session that a lane's thread runs
     * @param failed called by a thread that ends before a stop was requested
     */
    CaptureThreads(
            CaptureLanes lanes,
            Function<LiveCapture, CaptureSession> session,
            Consumer<Exception> failed) {
        this.lanes = lanes;
        this.failed = failed;
        for (LiveCapture lane : lanes.lanes()) {
            CaptureSession laneSession = session.apply(lane);
            sessions.add(laneSession);
            String name = threads.isEmpty()
                    ? "komainu-capture"
                    : "komainu-capture-" + (threads.size() + 1);
            threads.add(Thread.ofPlatform().name(name).daemon().unstarted(() -> read(laneSession)));
        }
    }

    void start() {
        threads.forEach(Thread::start);
    }

    private void read(CaptureSession session) {
        try {
            session.run();
        } catch (IOException | MalformedCaptureException | RuntimeException e) {
            failed.accept(e);
            sessions.forEach(CaptureSession::stop);
        }
    }

    boolean areAlive() {
        return threads.stream().allMatch(Thread::isAlive);
    }

    CaptureLanes lanes() {
        return lanes;
    }

    /** Returns the number of frames read so far, by outcome. Any thread. */
    Map<FrameDecoder.Outcome, Long> frames() {
        Map<FrameDecoder.Outcome, Long> counts = new EnumMap<>(FrameDecoder.Outcome.class);
        for (FrameDecoder.Outcome outcome : FrameDecoder.Outcome.values()) {
            counts.put(
                    outcome,
                    sessions.stream()
                            .mapToLong(session -> session.frames(outcome))
                            .sum());
        }
        return counts;
    }

    /** Returns the sum of the threads' counts of data left out so far, by reason. Any thread. */
    List<SourceStatus.Drops> drops() {
        Map<String, Long> counts = new LinkedHashMap<>();
        for (CaptureSession session : sessions) {
            session.drops()
                    .forEach(drops -> counts.merge(drops.reason(), drops.count(), Long::sum));
        }
        return counts.entrySet().stream()
                .map(each -> new SourceStatus.Drops(each.getKey(), each.getValue()))
                .toList();
    }

    /**
     * Reads the packets captured until now, writes the open connections and windows, and releases
     * the lanes; at most 2 s.
     */
    void stop() throws InterruptedException {
        lanes.finish();
        long deadline = System.nanoTime() + LONGEST_STOP_NANOS;
        for (Thread thread : threads) {
            thread.join(Math.max(1, TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime())));
        }
        lanes.close();
    }
}
