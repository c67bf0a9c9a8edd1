package dev.komainu.proxy.connection;

import java.util.List;

/**
 * What tunes HTTP/2 towards clients (RFC 9113).
 *
 * @param enabled whether connections that begin with HTTP/2's preface, or agreed on {@code h2}, are served (true)
 * @param maxStreams requests under way on one connection: 1 to 10,000 (128); more are refused (section 5.1.2)
 * @param windowBytes of one upload, how much may be on its way or wait for an origin that takes it slowly: 16,384 to
 *     16,777,216 (65,536). That is at its beginning; while it goes on, up to {@value #LONG_UPLOAD} times that. All uploads of
 *     one connection together: {@value #STREAMS_IN_WINDOW} times that
 */
public record StreamSettings(boolean enabled, int maxStreams, int windowBytes) {

    public static final StreamSettings DEFAULT = new StreamSettings(true, 128, 65_536);

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

    /** Adds "name: value (expected …)" for each value out of range. */
    public void check(List<String> problems) {
        if (maxStreams < 1 || maxStreams > 10_000) {
            problems.add("http2.max-streams: " + maxStreams + " (expected: 1 to 10000)");
        }
        if (windowBytes < 16_384 || windowBytes > 16_777_216) {
            problems.add("http2.stream-window: " + windowBytes + " (expected: 16KB to 16MB)");
        }
    }
}
