package dev.komainu.proxy.connection;

import dev.komainu.settings.Setting;
import dev.komainu.settings.SettingReader;

/**
 * What tunes HTTP/2 towards clients (RFC 9113).
 *
 * @param enabled whether connections that begin with HTTP/2's preface, or agreed on {@code h2}, are
 *     served (true)
 * @param maxStreams requests under way on one connection: 1 to 10,000 (128); more are refused
 *     (section 5.1.2)
 * @param windowBytes of one upload, how much may be on its way or wait for an origin that takes it
 *     slowly: 16,384 to 16,777,216 (65,536). That is at its beginning; while it goes on, up to
 *     {@value #LONG_UPLOAD} times that. All uploads of one connection together:
 *     {@value #STREAMS_IN_WINDOW} times that
 */
public record ClientHttp2Settings(boolean enabled, int maxStreams, int windowBytes) {

    static final Setting<Boolean> ENABLED =
            Setting.truth("http2.enabled").byDefault("true").effect("""
                    HTTP/2 towards clients (RFC 9113): connections that begin with its preface (h2c, prior knowledge)""");

    static final Setting<Integer> MAX_STREAMS =
            Setting.integer("http2.max-streams", 1, 10000).byDefault("128").effect("""
                    requests under way on one HTTP/2 connection; more are refused with RST_STREAM(REFUSED_STREAM), to be sent again""");

    static final Setting<Long> STREAM_WINDOW = Setting.size("http2.stream-window", "16KB", "16MB")
            .byDefault("64KB")
            .effect("""
                    of one HTTP/2 upload, how much may be on its way or wait for an origin that takes it slowly: at its beginning; while it goes
                    on, up to four times that; all uploads of one connection together eight times""");

    public static final ClientHttp2Settings DEFAULT = read(SettingReader.ofDefaults());

    /** Reads these settings; mistakes are noted in the reader. */
    public static ClientHttp2Settings read(SettingReader reader) {
        return new ClientHttp2Settings(
                reader.get(ENABLED),
                reader.get(MAX_STREAMS),
                Math.toIntExact(reader.get(STREAM_WINDOW)));
    }

    private static final int STREAMS_IN_WINDOW = 8;
    private static final int LONG_UPLOAD = 4;

    /** What the window of an upload that goes on grows to: half of what all have together. */
    public int longUploadBytes() {
        return LONG_UPLOAD * windowBytes;
    }

    /** The connection's window: what one client can make this proxy hold of its uploads. */
    public int connectionWindowBytes() {
        return STREAMS_IN_WINDOW * windowBytes;
    }
}
