package dev.komainu.proxy.connection;

import dev.komainu.settings.Setting;
import dev.komainu.settings.SettingReader;

/**
 * The settings for HTTP/2 with clients (RFC 9113).
 *
 * @param enabled whether connections that begin with HTTP/2's preface, or agreed on {@code h2}, are
 *     served (true)
 * @param maxStreams the concurrent requests of one connection, 1 to 10,000 (128); more are refused
 *     (section 5.1.2)
 * @param windowBytes the bytes of one upload that may be in transit or wait for a slow origin,
 *     16,384 to 16,777,216 (65,536). This is the initial value; a long upload gets up to
 *     {@value #LONG_UPLOAD} times as many. All uploads of one connection together get
 *     {@value #STREAMS_IN_WINDOW} times as many
 */
public record ClientHttp2Settings(boolean enabled, int maxStreams, int windowBytes) {

    static final Setting<Boolean> ENABLED = Setting.truth("http2.enabled")
            .byDefault("true")
            .effect("Whether clients may use HTTP/2 (RFC 9113)")
            .detail("""
                    Without TLS, a connection uses HTTP/2 when it begins with its preface (h2c,
                    prior knowledge). With TLS, ALPN selects the version.""");

    static final Setting<Integer> MAX_STREAMS = Setting.integer("http2.max-streams", 1, 10000)
            .byDefault("128")
            .effect("Concurrent requests on one HTTP/2 connection")
            .detail("""
                    More are refused with RST_STREAM(REFUSED_STREAM), and the client may retry
                    them.""");

    static final Setting<Long> STREAM_WINDOW = Setting.size("http2.stream-window", "16KB", "16MB")
            .byDefault("64KB")
            .effect("Initial number of bytes of one HTTP/2 upload that may be in transit or "
                    + "wait for a slow origin")
            .detail("""
                    A long upload gets up to four times as many, all uploads of one connection
                    together eight times as many.""");

    public static final ClientHttp2Settings DEFAULT = read(SettingReader.ofDefaults());

    /** Reads these settings; the reader records invalid values. */
    public static ClientHttp2Settings read(SettingReader reader) {
        return new ClientHttp2Settings(
                reader.get(ENABLED),
                reader.get(MAX_STREAMS),
                Math.toIntExact(reader.get(STREAM_WINDOW)));
    }

    private static final int STREAMS_IN_WINDOW = 8;
    private static final int LONG_UPLOAD = 4;

    /** Returns the largest window of a long upload: half of that of all uploads together. */
    public int longUploadBytes() {
        return LONG_UPLOAD * windowBytes;
    }

    /**
     * Returns the connection's window: the bytes of uploads that one client can make this proxy
     * keep.
     */
    public int connectionWindowBytes() {
        return STREAMS_IN_WINDOW * windowBytes;
    }
}
