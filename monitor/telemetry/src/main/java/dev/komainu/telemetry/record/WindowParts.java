package dev.komainu.telemetry.record;

/**
 * The connections that a source saw of a service during one window. With them, the central service
 * adds what several sources saw of one service, and counts no connection twice. A source sends them
 * before the window itself, and only while the central service requests them.
 *
 * @param service the watched service's id as the source knows it
 * @param fromMicros start of the window
 * @param lengthMicros length of the window
 * @param connections number of connections that were open or had a packet in the window; an
 *     estimate when the parts are a sample
 * @param parts the connections; a sample when there are more than {@link ConnectionParts#MOST}:
 *     those with the lowest keys, without contributions
 */
public record WindowParts(
        String service, long fromMicros, long lengthMicros, long connections, ConnectionParts parts)
        implements TelemetryRecord {

    /** Reports whether the parts are a sample, because the window has too many connections. */
    public boolean isSample() {
        return connections > parts.count();
    }

    @Override
    public long atMicros() {
        return fromMicros + lengthMicros;
    }
}
