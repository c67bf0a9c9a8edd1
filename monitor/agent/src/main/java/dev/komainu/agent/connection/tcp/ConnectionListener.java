package dev.komainu.agent.connection.tcp;

import dev.komainu.telemetry.record.ConnectionRecord;
import dev.komainu.telemetry.record.ConnectionState;

/**
 * Hears what happens to connections, on the source's thread, in packet order. Every method does
 * nothing unless overridden. {@code service} is the number of the connection's service, which may
 * name an origin side besides; instants are microseconds since the epoch.
 *
 * <p>Balance: each {@link #opened} is followed by one {@link #closed} and then one
 * {@link #finished}, in between each {@link #resting} by one {@link #resumed}, unless it ends at
 * rest; each {@link #requested} by at most one {@link #answering} and one {@link #exchanged}.
 */
public interface ConnectionListener {

    /** A duration that cannot be told. */
    long ABSENT = -1;

    /** A connection came into sight, with whatever packet. */
    default void opened(int service, long micros) {}

    /** A connection's first SYN came; not told of those picked up midstream. */
    default void arrived(int service, long micros) {}

    /** A SYN was sent again and no SYN/ACK had been seen. */
    default void synRepeated(int service, long micros) {}

    /**
     * The client has not repeated its unanswered SYN for so long that it may have gone, which
     * nothing ever tells; or it had to repeat what it asked of a server whose listen queue has no
     * room for the connection. Until it is back, or taken, the connection is not one of those that
     * are open, and its request not one of those that wait.
     *
     * @param requests of it that were told and are not answered: 0 or 1
     */
    default void resting(int service, long micros, int requests) {}

    /**
     * The client is back, or an answer came after all, or it is given up with a request.
     *
     * @param requests as {@link #resting} told
     */
    default void resumed(int service, long micros, int requests) {}

    /**
     * The client acknowledged the SYN/ACK.
     *
     * @param serverRttMicros round trip to the server and back, {@link #ABSENT} where a repeated
     *     SYN makes it ambiguous
     * @param clientRttMicros to the client and back, the same
     */
    default void shookHands(int service, long micros, long serverRttMicros, long clientRttMicros) {}

    /**
     * One packet of a connection, also of one that already ended.
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

    /** Segments the receiver acknowledged, but that were never captured: the monitor's own loss. */
    default void unseen(int service, long micros, int gaps) {}

    /** A request is complete, or its answer begins before it is. */
    default void requested(int service, long micros) {}

    /**
     * The server's kernel acknowledged a complete request's last segment. Told once at most, when
     * both are known.
     *
     * @param acknowledgementMicros since that segment
     */
    default void acknowledged(int service, long micros, long acknowledgementMicros) {}

    /**
     * The first segment of the final answer came.
     *
     * @param thinkMicros what is left of T_r without the round trip to the server, {@link #ABSENT}
     *     where ambiguous
     */
    default void answering(int service, long micros, long responseMicros, long thinkMicros) {}

    /**
     * An exchange is over.
     *
     * @param answered whether {@link #answering} was told
     * @param status 0 when unreadable
     * @param responseMicros T_r; of no meaning unless answered
     * @param transferMicros first to last data segment of the answer; of no meaning unless answered
     */
    default void exchanged(
            int service,
            long micros,
            boolean answered,
            int status,
            long responseMicros,
            long transferMicros) {}

    /**
     * The server reset or closed the connection before the client did, and before a request's
     * answer began. Told once at most of a request.
     *
     * @param reset whether by RST, else by FIN
     */
    default void unanswered(int service, long micros, boolean reset) {}

    /**
     * An exchange is over whose answer was 503 with Retry-After (RFC 9110 15.6.4). Follows its
     * {@link #exchanged}.
     */
    default void deliberatelyUnavailable(int service, long micros) {}

    /**
     * An exchange is over that tells whether there is a page under a path. Follows its
     * {@link #exchanged}.
     *
     * @param path hash of the path without its query
     * @param found whether the answer was 2xx or 304, else it was 403, 404 or 410
     */
    default void page(int service, long micros, long path, boolean found) {}

    /** A client's ClientHello came. */
    default void handshakeBegan(int service, long micros) {}

    /**
     * A TLS handshake that {@link #handshakeBegan} told of ended before application data could
     * flow.
     */
    default void handshakeFailed(int service, long micros) {}

    /**
     * A connection ended, or was given up; late packets may still follow.
     *
     * @param timedOut it was given up because nothing came any more, while something was still to
     *     come
     * @param resting it was {@link #resting}: not one of those that were open
     */
    default void closed(
            int service,
            long micros,
            ConnectionState state,
            long durationMicros,
            boolean timedOut,
            boolean resting) {}

    /** A connection will get no more packets. */
    default void finished(ConnectionRecord record) {}
}
