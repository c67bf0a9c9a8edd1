package dev.komainu.organizer.line;

import dev.komainu.settings.Setting;
import dev.komainu.settings.SettingGrammar;
import dev.komainu.settings.SettingReader;
import java.time.Duration;

/**
 * The settings of lines. The defaults carry 100 Mbit/s over 500 ms; docs/decisions/0073-the-line.md
 * gives their reasons.
 *
 * @param connections number of connections of a line. A lost packet delays one connection as a
 *     whole, and each connection grows its congestion window alone
 * @param streamWindowBytes bytes that the peer may send on a stream before the reader consumes them
 * @param connectionWindowBytes bytes that the peer may send on all streams of a connection within
 *     one round trip. Where TCP has no selective acknowledgements this is the maximum
 * @param heldBytes bytes received on one connection and not yet consumed by their readers. Above
 *     half of it the peer gets small windows
 * @param maxStreams concurrent streams on one connection
 * @param notSentBytes bytes in the kernel that are not on the wire yet. A small object waits behind
 *     them
 * @param congestion TCP's congestion control; empty: the kernel's; {@code auto}: chosen by loss, by
 *     each end for each connection
 * @param replayBytes bytes of a request's body that are kept for a retry
 * @param pingEvery interval between measurements of a connection's round trip
 * @param silence time without a byte from the peer, while a ping waits, after which a connection
 *     counts as lost
 * @param connectTimeout timeout for TCP, TLS and the peer's first frame
 * @param backOff time between the first two attempts to connect. Each further step is twice as
 *     long, up to eight times this
 * @param patience time that a request waits for a connection before it ends
 * @param carrier transport of lines; without TLS it is always TCP
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

    /** Value of the congestion control setting: chosen by the path's loss. */
    private static final String AUTO = "auto";

    private static final String LINES = "lines use it from their start";

    public static final Setting<LineCarrier> CARRIER = Setting.choice(
                    "line-carrier", LineCarrier.class)
            .byDefault("auto")
            .atStart(LINES)
            .effect("Transport of lines")
            .detail("""
                    - `tcp`: always TCP
                    - `auto`: TCP, and QUIC (UDP at the port of `line`) while the path to a member loses packets
                    - `quic`: always QUIC

                    At 1 % loss QUIC carries a third more than four TCP connections; without loss
                    it gains nothing. A member that is not reachable over QUIC (set to `tcp`, UDP
                    filtered, no library for its machine) is reached over TCP.
                    [Reasons](../decisions/0083-quic-beneath-the-line.md).""");
    static final Setting<Integer> CONNECTIONS = Setting.integer("lines.connections", 1, 4)
            .byDefault("4")
            .atStart(LINES)
            .effect("TCP connections to each other member")
            .detail("""
                    The number of QUIC connections is the same with `line-carrier: quic`, and one
                    per event loop with `auto`.""");
    static final Setting<String> CONGESTION = Setting.of(
                    "lines.congestion", "`auto`, name, `none`", LineSettings::congestion)
            .byDefault(AUTO)
            .atStart(LINES)
            .effect("Congestion control of TCP on lines")
            .detail("""
                    `auto` is CUBIC, and BBR while the path loses packets; each end chooses for its
                    own direction. `none`, or a name that the kernel does not have, is the kernel's
                    default. QUIC has `bbr`, `cubic` and `reno`, and uses `bbr` for other names.""");
    static final Setting<Long> STREAM_WINDOW = Setting.size("lines.stream-window", "65535", "16MB")
            .byDefault("4MB")
            .atStart(LINES)
            .effect("Bytes under way on one stream")
            .detail("""
                    Set it to bandwidth × round trip of the longest line, so that one object can
                    fill the line.""");
    static final Setting<Long> CONNECTION_WINDOW = Setting.size(
                    "lines.connection-window", "65535", "1GB")
            .byDefault("16MB")
            .atStart(LINES)
            .effect("Bytes under way on all streams of a connection")
            .detail("""
                    Where TCP has no selective acknowledgements this is a maximum: the window
                    starts at 64 KB and grows as long as no queue is measured.""");
    static final Setting<Long> HELD = Setting.size("lines.held", "1MB", "4GB")
            .byDefault("64MB")
            .atStart(LINES)
            .effect("Bytes received on a connection and not yet consumed by their readers")
            .detail("""
                    Above half of it the windows of all streams are 64 KB.""");
    static final Setting<Integer> MAX_STREAMS = Setting.integer("lines.max-streams", 64, 10_000)
            .byDefault("1000")
            .atStart(LINES)
            .effect("Concurrent streams on a connection");
    static final Setting<Duration> PING_EVERY = Setting.duration("lines.ping-every", "50ms", "1m")
            .byDefault("500ms")
            .atStart(LINES)
            .effect("Interval between measurements of a connection's round trip");
    static final Setting<Duration> SILENCE = Setting.duration("lines.silence", "100ms", "10m")
            .byDefault("2s")
            .atStart(LINES)
            .effect("Time without a byte, while a ping waits, after which a connection counts "
                    + "as lost")
            .detail("""
                    Set it above the longest pause of a member.""");
    static final Setting<Duration> CONNECT_TIMEOUT = Setting.duration(
                    "lines.connect-timeout", "100ms", "1m")
            .byDefault("3s")
            .atStart(LINES)
            .effect("Timeout for TCP, TLS and the first frame");
    static final Setting<Duration> PATIENCE = Setting.duration("lines.patience", "0", "10m")
            .byDefault("1s")
            .atStart(LINES)
            .effect("Time that a request waits for a connection before it goes to another "
                    + "mirror");

    private static final int NOT_SENT_BYTES = 128 << 10;
    private static final int REPLAY_BYTES = 64 << 10;
    private static final Duration BACK_OFF = Duration.ofMillis(125);

    public static final LineSettings DEFAULT = read(SettingReader.ofDefaults());

    public static LineSettings read(SettingReader reader) {
        return new LineSettings(
                reader.get(CONNECTIONS),
                reader.get(STREAM_WINDOW).intValue(),
                reader.get(CONNECTION_WINDOW).intValue(),
                reader.get(HELD),
                reader.get(MAX_STREAMS),
                NOT_SENT_BYTES,
                reader.get(CONGESTION),
                REPLAY_BYTES,
                reader.get(PING_EVERY),
                reader.get(SILENCE),
                reader.get(CONNECT_TIMEOUT),
                BACK_OFF,
                reader.get(PATIENCE),
                reader.get(CARRIER));
    }

    private static String congestion(String text) {
        if (!text.matches("[a-z0-9_]{0,15}")) {
            throw SettingGrammar.wrong(
                    text, "auto, a name such as bbr, at most 15 characters, or none");
        }
        return text.equals(SettingGrammar.NONE) ? "" : text;
    }

    /** Returns whether each end chooses the congestion control by loss. */
    public boolean choosesCongestion() {
        return congestion.equals(AUTO);
    }

    public LineSettings withConnections(int count) {
        return new LineSettings(
                count,
                streamWindowBytes,
                connectionWindowBytes,
                heldBytes,
                maxStreams,
                notSentBytes,
                congestion,
                replayBytes,
                pingEvery,
                silence,
                connectTimeout,
                backOff,
                patience,
                carrier);
    }
}
