package dev.komainu.agent.connection.tcp;

import dev.komainu.telemetry.record.ConnectionRecord;
import dev.komainu.telemetry.record.ConnectionState;

/**
 * Listener of the events of connections, called on the source's thread, in packet order. Every
 * method does nothing unless overridden. {@code service} is the number of the connection's service,
 * which may include an origin side; instants are microseconds since the epoch.
 *
 * <p>Balance: each {@link #opened} is followed by one {@link #closed} and then one
 * {@link #finished}. Between them, each {@link #paused} is followed by one {@link #resumed}, unless
 * the connection ends while paused, and each {@link #requested} by at most one
 * {@link #responseStarted} and one {@link #exchangeEnded}.
 */
public interface ConnectionListener {

    /** A duration that is not known. */
    long ABSENT = -1;

    /** Called when the first packet of a connection is captured, of any kind. */
    default void opened(int service, long micros) {}

    /**
     * Called when a connection's first SYN was captured; not for connections picked up midstream.
     */
    default void synReceived(int service, long micros) {}

    /** Called when a SYN was sent again and no SYN/ACK had been captured. */
    default void synRepeated(int service, long micros) {}

    /**
     * Called when a connection may no longer be waited for. Either the client has not repeated its
     * unanswered SYN for a long time and may have left, which no packet reports. Or the client had
     * to repeat its request to a server whose listen queue has no room for the connection. Until
     * {@link #resumed}, the connection does not count as open, and its request does not count as
     * waiting.
     *
     * @param requests reported requests of the connection without a response: 0 or 1
     */
    default void paused(int service, long micros, int requests) {}

    /**
     * Called when the client is back, when a response came later, or when the connection is given
     * up with a request.
     *
     * @param requests as reported by {@link #paused}
     */
    default void resumed(int service, long micros, int requests) {}

    /**
     * Called when the client acknowledged the SYN/ACK.
     *
     * @param serverRttMicros round trip to the server and back, {@link #ABSENT} where a repeated
     *     SYN makes it ambiguous
     * @param clientRttMicros round trip to the client and back, {@link #ABSENT} in the same case
     */
    default void handshakeCompleted(
            int service, long micros, long serverRttMicros, long clientRttMicros) {}

    /**
     * Called for each packet of a connection, also after its end.
     *
     * @param unique payload bytes not seen before
     */
    default void packet(
            int service,
            long micros,
            boolean up,
            int wireBytes,
            int payloadBytes,
            int unique,
            boolean retransmission,
            boolean outOfOrder,
            boolean zeroWindow) {}

    /** Called once a second for a connection on which the server sent data. */
    default void clientSending(int service, long micros) {}

    /**
     * Called at most once a second for a connection on which the server sent data again. Follows
     * its {@link #clientSending} of that second.
     */
    default void clientRetransmitting(int service, long micros) {}

    /**
     * Called when the client acknowledged a data segment of the server that was sent once.
     *
     * @param roundTripMicros time since that segment
     * @param bytes payload bytes that the client acknowledged in that time
     */
    default void clientRoundTrip(int service, long micros, long roundTripMicros, int bytes) {}

    /**
     * Called for segments that the receiver acknowledged but that were never captured: the
     * monitor's own loss.
     */
    default void unseen(int service, long micros, int gaps) {}

    /** Called when a request is complete, or when its response begins before that. */
    default void requested(int service, long micros) {}

    /**
     * Called when the server's kernel acknowledged a complete request's last segment. At most once,
     * when both are known.
     *
     * @param acknowledgementMicros time since that segment
     */
    default void acknowledged(int service, long micros, long acknowledgementMicros) {}

    /**
     * Called when the first segment of the final response came.
     *
     * @param thinkMicros T_r without the round trip to the server, {@link #ABSENT} where ambiguous
     */
    default void responseStarted(int service, long micros, long responseMicros, long thinkMicros) {}

    /**
     * Called when an exchange is over.
     *
     * @param answered whether {@link #responseStarted} was called
     * @param status 0 when unreadable
     * @param responseMicros T_r; undefined unless answered
     * @param transferMicros time from the first to the last data segment of the response; undefined
     *     unless answered
     */
    default void exchangeEnded(
            int service,
            long micros,
            boolean answered,
            int status,
            long responseMicros,
            long transferMicros) {}

    /**
     * Called when the server reset or closed the connection before the client did, and before a
     * request's response began. At most once per request.
     *
     * @param reset whether by RST, else by FIN
     */
    default void unanswered(int service, long micros, boolean reset) {}

    /**
     * Called when an exchange is over whose response was 503 with Retry-After (RFC 9110 15.6.4).
     * Follows its {@link #exchangeEnded}.
     */
    default void deliberatelyUnavailable(int service, long micros) {}

    /**
     * Called when an exchange is over that shows whether a page exists under a path. Follows its
     * {@link #exchangeEnded}.
     *
     * @param path hash of the path without its query
     * @param found whether the response was 2xx or 304, else it was 403, 404 or 410
     */
    default void page(int service, long micros, long path, boolean found) {}

    /** Called when a client's ClientHello came. */
    default void handshakeBegan(int service, long micros) {}

    /**
     * Called when a TLS handshake reported by {@link #handshakeBegan} ended before application data
     * could flow.
     */
    default void handshakeFailed(int service, long micros) {}

    /**
     * Called when a connection ended, or was given up; late packets may still follow.
     *
     * @param timedOut whether it was given up because no packet came any more, while some were
     *     still expected
     * @param paused whether it was {@link #paused}, and so not counted as open
     */
    default void closed(
            int service,
            long micros,
            ConnectionState state,
            long durationMicros,
            boolean timedOut,
            boolean paused) {}

    /** Called when a connection will get no more packets. */
    default void finished(ConnectionRecord record) {}
}
