package dev.komainu.agent.summary;

import dev.komainu.agent.pages.KnownPages;
import dev.komainu.telemetry.record.ConnectionParts;
import dev.komainu.telemetry.record.ConnectionState;
import dev.komainu.telemetry.record.DirectionTotals;
import dev.komainu.telemetry.record.PartCounter;
import dev.komainu.telemetry.record.PartTimes;
import dev.komainu.telemetry.record.ServiceWindow;
import dev.komainu.telemetry.record.TimesGrid;
import dev.komainu.telemetry.record.WindowParts;
import org.jspecify.annotations.Nullable;

/**
 * The current window of one service. Reused from window to window; only the open connections and
 * the waiting requests are carried over.
 */
final class CurrentWindow {

    private final String service;
    private final @Nullable GaugeSteps openSteps;
    private final Gauge open;
    private final Gauge waiting = new Gauge(null);
    private final Totals up = new Totals();
    private final Totals down = new Totals();
    private final DurationRecorder response = new DurationRecorder();
    private final DurationRecorder transfer = new DurationRecorder();
    private final DurationRecorder connection = new DurationRecorder();
    private final RoundTripRecorder roundTrips = new RoundTripRecorder();
    private final KnownPages.Pages pages;
    private final FailureCounter failures = new FailureCounter();
    private final ClientPathRecorder clientPaths = new ClientPathRecorder();
    private TimesGrid.@Nullable Recorder responseByTransfer;
    private long arrivals;
    private long ended;
    private long refused;
    private long noAnswer;
    private long resetsByClient;
    private long resetsByServer;
    private long requests;
    private long responses;
    private long errors;
    private long synRepeats;
    private long unseen;
    private long timeouts;
    /** The same by connection; null while it is not requested. */
    private @Nullable PartRecorder parts;

    /** A gauge: its value lasts from one event to the next, and its mean is weighted by time. */
    private static final class Gauge {
        long value;
        long highest;
        /** Steps of the value; null where only mean and highest are needed. */
        private final @Nullable GaugeSteps steps;

        private double area;
        private long since;

        Gauge(@Nullable GaugeSteps steps) {
            this.steps = steps;
        }

        void begin(long micros) {
            area = 0;
            since = micros;
            highest = value;
            if (steps != null) {
                steps.begin(value, micros);
            }
        }

        void change(int by, long micros) {
            settle(micros);
            long before = value;
            value = Math.max(0, value + by);
            highest = Math.max(highest, value);
            if (steps != null && value != before) {
                steps.step(value > before, value, micros);
            }
        }

        void settle(long micros) {
            if (micros > since) {
                area += (double) value * (micros - since);
                since = micros;
            }
        }

        double mean(long from, long to) {
            settle(to);
            return area / (to - from);
        }
    }

    /** One direction's counters. */
    private static final class Totals {
        long packets;
        long wireBytes;
        long payloadBytes;
        long uniqueBytes;
        long retransmissions;
        long outOfOrder;
        long zeroWindow;

        DirectionTotals take() {
            DirectionTotals totals = new DirectionTotals(
                    packets,
                    wireBytes,
                    payloadBytes,
                    uniqueBytes,
                    retransmissions,
                    outOfOrder,
                    zeroWindow);
            packets = 0;
            wireBytes = 0;
            payloadBytes = 0;
            uniqueBytes = 0;
            retransmissions = 0;
            outOfOrder = 0;
            zeroWindow = 0;
            return totals;
        }
    }

    /**
     * Creates the first window of a service.
     *
     * @param pages known pages of the service
     * @param shared whether other threads see other connections of the service, see {@link #share}
     */
    CurrentWindow(String service, long from, KnownPages.Pages pages, boolean shared) {
        this.pages = pages;
        this.service = service;
        this.openSteps = shared ? new GaugeSteps() : null;
        this.open = new Gauge(openSteps);
        open.begin(from);
        waiting.begin(from);
    }

    /** Begins or ends the recording by connection; at the beginning of a window. */
    void record(@Nullable PartRecorder recorder) {
        parts = recorder;
    }

    /** Returns the recorder by connection; null while it is not requested. */
    @Nullable
    PartRecorder parts() {
        return parts;
    }

    /** Returns the part of the connection whose event is being reported; null when not recorded. */
    @Nullable
    ConnectionPart part() {
        return parts == null ? null : parts.current();
    }

    /** Adds one to a counter of that part. */
    void countInPart(PartCounter counter) {
        ConnectionPart part = part();
        if (part != null) {
            part.add(counter, 1);
        }
    }

    private void changeOpen(int by, long micros) {
        open.change(by, micros);
        ConnectionPart part = part();
        if (part != null) {
            part.changeOpen(by, micros);
        }
    }

    private void changeWaiting(int by, long micros) {
        waiting.change(by, micros);
        ConnectionPart part = part();
        if (part != null) {
            part.changeWaiting(by, micros);
        }
    }

    void opened(long micros) {
        changeOpen(1, micros);
    }

    /**
     * Pauses a connection.
     *
     * @param requests 0 or 1
     */
    void paused(long micros, int requests) {
        changeOpen(-1, micros);
        if (requests > 0) {
            changeWaiting(-1, micros);
        }
    }

    /**
     * Resumes a connection.
     *
     * @param requests 0 or 1
     */
    void resumed(long micros, int requests) {
        changeOpen(1, micros);
        if (requests > 0) {
            changeWaiting(1, micros);
        }
    }

    void synReceived() {
        arrivals++;
        countInPart(PartCounter.ARRIVALS);
    }

    void synRepeated() {
        synRepeats++;
        countInPart(PartCounter.SYN_REPEATS);
    }

    void handshakeCompleted(long serverRttMicros, long clientRttMicros) {
        roundTrips.handshake(serverRttMicros, clientRttMicros);
        ConnectionPart part = part();
        if (part != null) {
            part.addTime(PartTimes.SERVER_ROUND_TRIP, serverRttMicros);
            part.addTime(PartTimes.CLIENT_ROUND_TRIP, clientRttMicros);
        }
    }

    void acknowledged(long acknowledgementMicros) {
        roundTrips.acknowledged(acknowledgementMicros);
        ConnectionPart part = part();
        if (part != null) {
            part.addTime(PartTimes.ACKNOWLEDGEMENT, acknowledgementMicros);
        }
    }

    void unseen(int gaps) {
        unseen += gaps;
        ConnectionPart part = part();
        if (part != null) {
            part.add(PartCounter.UNSEEN_SEGMENTS, gaps);
        }
    }

    void packet(
            boolean isUp,
            int wire,
            int payload,
            int unique,
            boolean retransmission,
            boolean outOfOrder,
            boolean zeroWindow) {
        Totals totals = isUp ? up : down;
        totals.packets++;
        totals.wireBytes += wire;
        totals.payloadBytes += payload;
        totals.uniqueBytes += unique;
        if (retransmission) {
            totals.retransmissions++;
        }
        if (outOfOrder) {
            totals.outOfOrder++;
        }
        if (zeroWindow) {
            totals.zeroWindow++;
        }
        ConnectionPart part = part();
        if (part != null) {
            part.packet(isUp, wire, payload, unique, retransmission, outOfOrder, zeroWindow);
        }
    }

    void requested(long micros) {
        requests++;
        countInPart(PartCounter.REQUESTS);
        changeWaiting(1, micros);
    }

    void responseStarted(long micros, long responseMicros, long thinkMicros) {
        responses++;
        changeWaiting(-1, micros);
        response.record(responseMicros);
        roundTrips.responded(thinkMicros);
        ConnectionPart part = part();
        if (part != null) {
            part.add(PartCounter.RESPONSES, 1);
            part.addTime(PartTimes.RESPONSE, Math.max(0, responseMicros));
            part.addTime(PartTimes.THINK, thinkMicros);
        }
    }

    void exchangeEnded(
            long micros, boolean answered, int status, long responseMicros, long transferMicros) {
        if (answered) {
            transfer.record(transferMicros);
            TimesGrid.Recorder grid =
                    responseByTransfer == null ? new TimesGrid.Recorder() : responseByTransfer;
            grid.record(responseMicros, transferMicros);
            responseByTransfer = grid;
            ConnectionPart part = part();
            if (part != null) {
                part.addTime(PartTimes.TRANSFER, Math.max(0, transferMicros));
                part.addCell(ConnectionParts.gridCellOf(responseMicros, transferMicros));
            }
        } else {
            changeWaiting(-1, micros);
        }
        if (status >= 500 && status < 600) {
            errors++;
            countInPart(PartCounter.ERRORS);
        }
    }

    /** Returns the recorder of the paths to the clients. */
    ClientPathRecorder clientPaths() {
        return clientPaths;
    }

    /** Returns the counters of failures that clients see. */
    FailureCounter failures() {
        return failures;
    }

    void page(long micros, long path, boolean found) {
        if (found) {
            pages.found(path, micros);
        } else if (pages.wasFound(path, micros)) {
            failures.pageLost();
            countInPart(PartCounter.LOST_PAGES);
        }
    }

    void closed(
            long micros,
            ConnectionState state,
            long durationMicros,
            boolean timedOut,
            boolean paused) {
        if (!paused) {
            changeOpen(-1, micros);
        }
        ended++;
        countInPart(PartCounter.ENDED);
        if (timedOut) {
            timeouts++;
            countInPart(PartCounter.TIMEOUTS);
        }
        switch (state) {
            case REFUSED -> {
                refused++;
                countInPart(PartCounter.REFUSED);
            }
            case NO_ANSWER -> {
                noAnswer++;
                countInPart(PartCounter.NO_ANSWER);
            }
            case RST_CLIENT -> {
                resetsByClient++;
                countInPart(PartCounter.RESETS_BY_CLIENT);
            }
            case RST_SERVER -> {
                resetsByServer++;
                countInPart(PartCounter.RESETS_BY_SERVER);
            }
            default -> {}
        }
        connection.record(durationMicros);
        ConnectionPart part = part();
        if (part != null) {
            part.addTime(PartTimes.CONNECTION, Math.max(0, durationMicros));
        }
    }

    /** Reports whether all values are zero. */
    boolean isEmpty() {
        return open.value == 0
                && open.highest == 0
                && up.packets == 0
                && down.packets == 0
                && ended == 0;
    }

    /** Returns the window [from, to) and begins the next one at {@code to}. */
    ServiceWindow take(long from, long to, long captured, long dropped) {
        ServiceWindow window = new ServiceWindow(
                service,
                from,
                to - from,
                new ServiceWindow.Connections(
                        arrivals,
                        ended,
                        refused,
                        noAnswer,
                        resetsByClient,
                        resetsByServer,
                        timeouts),
                new ServiceWindow.Exchanges(requests, responses, errors),
                new ServiceWindow.Concurrency(
                        open.mean(from, to), open.highest, waiting.mean(from, to)),
                new ServiceWindow.Packets(
                        up.take(), down.take(), synRepeats, captured, dropped, unseen),
                new ServiceWindow.Times(
                        response.take(),
                        transfer.take(),
                        connection.take(),
                        roundTrips.take(),
                        responseByTransfer == null ? TimesGrid.EMPTY : responseByTransfer.take()),
                failures.take(),
                clientPaths.take());
        arrivals = 0;
        ended = 0;
        refused = 0;
        noAnswer = 0;
        resetsByClient = 0;
        resetsByServer = 0;
        requests = 0;
        responses = 0;
        errors = 0;
        synRepeats = 0;
        unseen = 0;
        timeouts = 0;
        open.begin(to);
        waiting.begin(to);
        return window;
    }

    /** Returns the parts of the window that ends now; null when they are not recorded. */
    @Nullable
    WindowParts takeParts(long to) {
        return parts == null ? null : parts.take(service, to);
    }

    /**
     * Returns the same as {@link #take}, for a window whose connections are seen by several
     * threads.
     */
    WindowJoin.Share share(long from, long to) {
        if (openSteps == null) {
            throw new IllegalStateException("the window of " + service + " is not shared");
        }
        GaugeSteps.Snapshot steps = openSteps.take();
        return new WindowJoin.Share(take(from, to, 0, 0), steps, takeParts(to));
    }
}
