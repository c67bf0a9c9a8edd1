package dev.komainu.organizer.line;

import dev.komainu.settings.Setting;
import dev.komainu.settings.SettingGrammar;
import dev.komainu.settings.SettingReader;
import java.time.Duration;

/**
 * What tunes lines. The defaults carry 100 Mbit/s over 500 ms; where they come from:
 * docs/decisions/0073-the-line.md.
 *
 * @param connections of a line. One suffers as a whole when a packet is lost, and grows its
 *     congestion window alone
 * @param streamWindowBytes what the peer may send on a stream before it is taken
 * @param connectionWindowBytes … on all streams of a connection within one round trip. At most,
 *     where TCP has no selective acknowledgements
 * @param heldBytes received on one connection and not taken yet by its reader. Beyond half of it
 *     new bytes come in small windows
 * @param maxStreams at once on one connection
 * @param notSentBytes in the kernel and not on the wire yet; what a small object waits behind
 * @param congestion TCP's congestion control; empty: the kernel's; {@code auto}: by what is lost,
 *     each end and connection for itself
 * @param replayBytes of a request's body, kept so that it can be sent again
 * @param pingEvery how often a connection's round trip is measured
 * @param silence without a byte of the peer, while a ping waits, until a connection counts as lost
 * @param connectTimeout for TCP, TLS and the peer's first frame
 * @param backOff between attempts to connect, from the first (…) doubled up to eight times that
 * @param patience how long a request waits for a connection before it ends
 * @param carrier what lines run over; without TLS it is always TCP
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

    private static final String LINES = "lines are made with it";

    public static final Setting<LineCarrier> CARRIER = Setting.choice(
                    "line-carrier", LineCarrier.class)
            .byDefault("auto")
            .atStart(LINES)
            .effect("""
                    what lines run over. `auto`: TCP, and QUIC (UDP at the port of `line`) while the path to a member loses packets; it carries a
                    third more than four TCP connections at 1 % loss, and nothing more without. `quic`: QUIC always. A member that cannot be reached
                    so (set to `tcp`, UDP filtered, no library for its machine) is reached over TCP.
                    [Why so](../decisions/0083-quic-beneath-the-line.md)""");
    static final Setting<Integer> CONNECTIONS = Setting.integer("lines.connections", 1, 4)
            .byDefault("4")
            .atStart(LINES)
            .effect("""
                    TCP connections to each other member; of QUIC as many with `line-carrier: quic`, one for each event loop with `auto`""");
    static final Setting<String> CONGESTION = Setting.of(
                    "lines.congestion", "`auto`, name, `none`", LineSettings::congestion)
            .byDefault(AUTO)
            .atStart(LINES)
            .effect("""
                    TCP's congestion control on lines; `auto`: CUBIC, and BBR while the path loses packets, each end for what it sends; `none`, or
                    where it cannot be had: the kernel's. QUIC knows `bbr`, `cubic` and `reno`, and takes `bbr` for others""");
    static final Setting<Long> STREAM_WINDOW = Setting.size("lines.stream-window", "65535", "16MB")
            .byDefault("4MB")
            .atStart(LINES)
            .effect("""
                    what may be on its way on one stream; bandwidth × round trip of the longest line, so that one object fills it""");
    static final Setting<Long> CONNECTION_WINDOW = Setting.size(
                    "lines.connection-window", "65535", "1GB")
            .byDefault("16MB")
            .atStart(LINES)
            .effect("""
                    … on all streams of a connection; at most, where TCP has no selective acknowledgements: there it begins at 64 KB and grows as
                    long as no queue is seen""");
    static final Setting<Long> HELD = Setting.size("lines.held", "1MB", "4GB")
            .byDefault("64MB")
            .atStart(LINES)
            .effect("""
                    received on a connection and not taken yet by whom it is for; beyond half of it all streams' windows are 64 KB""");
    static final Setting<Integer> MAX_STREAMS = Setting.integer("lines.max-streams", 64, 10_000)
            .byDefault("1000")
            .atStart(LINES)
            .effect("at once on a connection");
    static final Setting<Duration> PING_EVERY = Setting.duration("lines.ping-every", "50ms", "1m")
            .byDefault("500ms")
            .atStart(LINES)
            .effect("how often a connection's round trip is measured");
    static final Setting<Duration> SILENCE = Setting.duration("lines.silence", "100ms", "10m")
            .byDefault("2s")
            .atStart(LINES)
            .effect(
                    "without a byte while a ping waits: the connection counts as lost. Above the longest pause of a member");
    static final Setting<Duration> CONNECT_TIMEOUT = Setting.duration(
                    "lines.connect-timeout", "100ms", "1m")
            .byDefault("3s")
            .atStart(LINES)
            .effect("for TCP, TLS and the first frame");
    static final Setting<Duration> PATIENCE = Setting.duration("lines.patience", "0", "10m")
            .byDefault("1s")
            .atStart(LINES)
            .effect("how long a request waits for a connection before another mirror is asked");

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
