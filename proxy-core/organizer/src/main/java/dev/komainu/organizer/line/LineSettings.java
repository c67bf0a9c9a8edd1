package dev.komainu.organizer.line;

import java.time.Duration;
import java.util.List;

/**
 * What tunes lines. The defaults carry 100 Mbit/s over 500 ms; where they come from: docs/decisions/0073-the-line.md.
 *
 * @param connections of a line: 1 to 4 (4). One suffers as a whole when a packet is lost, and grows its congestion window alone
 * @param streamWindowBytes what the peer may send on a stream before it is taken: 65,535 to 16,777,216 (4 MB)
 * @param connectionWindowBytes … on all streams of a connection within one round trip: 65,535 to 1,073,741,824 (16 MB). At most, where TCP has no selective acknowledgements
 * @param heldBytes received on one connection and not taken yet by whom it is for: 1 MB to 4 GB (64 MB). Beyond half of it new bytes come in small windows
 * @param maxStreams at once on one connection: 64 to 10,000 (1,000)
 * @param notSentBytes in the kernel and not on the wire yet: 16,384 to 4,194,304 (128 KB); what a small object waits behind
 * @param congestion TCP's congestion control, such as {@code bbr}; empty: the kernel's; {@code auto}: by what is lost, each end and connection for itself (auto). Where it cannot be had, the kernel's
 * @param replayBytes of a request's body, kept so that it can be sent again: 0 to 16,777,216 (64 KB)
 * @param pingEvery how often a connection's round trip is measured: 50 ms to 1 min (500 ms)
 * @param silence without a byte of the peer, while a ping waits, until a connection counts as lost: 100 ms to 10 min (2 s)
 * @param connectTimeout for TCP, TLS and the peer's first frame: 100 ms to 1 min (3 s)
 * @param backOff between attempts to connect, from the first (…) doubled up to eight times that: 10 ms to 1 min (125 ms)
 * @param patience how long a request waits for a connection before it ends: 0 to 10 min (1 s)
 * @param carrier what lines run over (AUTO); without TLS it is always TCP
 */
public record LineSettings(
        int connections,
        int streamWindowBytes,
        int connectionWindowBytes,
        long heldBytes,
        int maxStreams,
        int notSentBytes,
        String congestion,
        int replayBytes,
        Duration pingEvery,
        Duration silence,
        Duration connectTimeout,
        Duration backOff,
        Duration patience,
        LineCarrier carrier) {

    /** Of congestion control: chosen by what the path loses. */
    private static final String AUTO = "auto";

    public static final LineSettings DEFAULT = new LineSettings(
            4,
            4 << 20,
            16 << 20,
            64L << 20,
            1_000,
            128 << 10,
            AUTO,
            64 << 10,
            Duration.ofMillis(500),
            Duration.ofSeconds(2),
            Duration.ofSeconds(3),
            Duration.ofMillis(125),
            Duration.ofSeconds(1),
            LineCarrier.AUTO);

    public LineSettings withConnections(int count) {
        return with(
                count,
                streamWindowBytes,
                connectionWindowBytes,
                heldBytes,
                congestion,
                pingEvery,
                silence,
                backOff,
                patience);
    }

    public LineSettings withCongestion(String name) {
        return with(
                connections,
                streamWindowBytes,
                connectionWindowBytes,
                heldBytes,
                name,
                pingEvery,
                silence,
                backOff,
                patience);
    }

    public boolean choosesCongestion() {
        return congestion.equals(AUTO);
    }

    public LineSettings withWindows(int streamBytes, int connectionBytes, long held) {
        return with(connections, streamBytes, connectionBytes, held, congestion, pingEvery, silence, backOff, patience);
    }

    public LineSettings withTimes(Duration ping, Duration silent, Duration first, Duration patient) {
        return with(
                connections,
                streamWindowBytes,
                connectionWindowBytes,
                heldBytes,
                congestion,
                ping,
                silent,
                first,
                patient);
    }

    private LineSettings with(
            int count,
            int streamBytes,
            int connectionBytes,
            long held,
            String name,
            Duration ping,
            Duration silent,
            Duration first,
            Duration patient) {
        return new LineSettings(
                count,
                streamBytes,
                connectionBytes,
                held,
                maxStreams,
                notSentBytes,
                name,
                replayBytes,
                ping,
                silent,
                connectTimeout,
                first,
                patient,
                carrier);
    }

    public LineSettings withCarrier(LineCarrier over) {
        return with(over, connectTimeout);
    }

    public LineSettings withConnectTimeout(Duration most) {
        return with(carrier, most);
    }

    private LineSettings with(LineCarrier over, Duration connecting) {
        return new LineSettings(
                connections,
                streamWindowBytes,
                connectionWindowBytes,
                heldBytes,
                maxStreams,
                notSentBytes,
                congestion,
                replayBytes,
                pingEvery,
                silence,
                connecting,
                backOff,
                patience,
                over);
    }

    /** Adds "lines.name: value (expected …)" for each value out of range. */
    public void check(List<String> problems) {
        number(problems, "connections", connections, 1, 4);
        number(problems, "stream-window", streamWindowBytes, 65_535, 16 << 20);
        number(problems, "connection-window", connectionWindowBytes, 65_535, 1 << 30);
        number(problems, "held", heldBytes, 1 << 20, 4L << 30);
        number(problems, "max-streams", maxStreams, 64, 10_000);
        number(problems, "not-sent", notSentBytes, 16_384, 4 << 20);
        number(problems, "replay", replayBytes, 0, 16 << 20);
        if (!congestion.matches("[a-z0-9_]{0,15}")) {
            problems.add("lines.congestion: " + congestion
                    + " (expected: auto, a name such as bbr, at most 15 characters, or none)");
        }
        time(problems, "ping-every", pingEvery, 50, 60_000);
        time(problems, "silence", silence, 100, 600_000);
        time(problems, "connect-timeout", connectTimeout, 100, 60_000);
        time(problems, "back-off", backOff, 10, 60_000);
        time(problems, "patience", patience, 0, 600_000);
    }

    private static void number(List<String> problems, String name, long value, long least, long most) {
        if (value < least || value > most) {
            problems.add("lines." + name + ": " + value + " (expected: " + least + " to " + most + ")");
        }
    }

    private static void time(List<String> problems, String name, Duration value, long least, long most) {
        if (value.toMillis() < least || value.toMillis() > most) {
            problems.add(
                    "lines." + name + ": " + value.toMillis() + "ms (expected: " + least + "ms to " + most + "ms)");
        }
    }
}
