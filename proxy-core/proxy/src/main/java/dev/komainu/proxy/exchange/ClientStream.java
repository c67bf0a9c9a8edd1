package dev.komainu.proxy.exchange;

import dev.komainu.intermediary.message.RequestHead;
import dev.komainu.intermediary.upstream.Origin;
import dev.komainu.intermediary.upstream.OriginFailure;
import dev.komainu.intermediary.upstream.UpstreamInfo;
import dev.komainu.proxy.cache.StoredResponse;
import dev.komainu.proxy.fetch.TrailerFields;
import dev.komainu.telemetry.record.ProxyExchange.CacheOutcome;
import io.netty.buffer.ByteBuf;
import java.net.InetAddress;

/**
 * Where a request came from and its answer goes: an HTTP/1 connection, or one stream of an HTTP/2
 * connection. What an {@link Exchange} and a {@link FetchDelivery} ask of it; everything on its
 * event loop.
 *
 * <p>An answer is written as HTTP/1 text: first its head, whole and in the first buffer of the
 * answer (behind it, perhaps, the body's beginning), then its body. A final head may follow
 * informational ones, each in a buffer of its own. Who speaks another protocol translates.
 */
interface ClientStream {

    /** Whether it is a member of the cluster, which speaks for a client of its own. */
    default boolean isMember() {
        return false;
    }

    /** Whether this client may use the proxy at all. */
    boolean permitted();

    InetAddress client();

    /**
     * Whether the client takes what is written; when that becomes true again, the delivery is
     * pumped.
     */
    boolean isWritable();

    /** From now on it is not writable while more than so many bytes wait for the client. */
    void ahead(int bytes);

    /** An empty direct buffer of at least so many bytes. */
    ByteBuf buffer(int size);

    /** Takes over the buffer. */
    void write(ByteBuf bytes);

    /**
     * Field lines behind a body that is not framed by chunks, for a protocol that has a place for
     * them.
     */
    default void trailers(byte[] lines) {}

    /**
     * Whether trailers can follow a body of unknown length, and the client takes them (RFC 9110
     * section 6.5.1).
     */
    default boolean takesTrailers(RequestHead head) {
        return wantsChunks(head) && TrailerFields.areAccepted(head);
    }

    /** What was written leaves with the rest of this turn of the loop. */
    void flushLater();

    /** Whether the connection stays after this exchange's answer. */
    boolean keeps(RequestHead head);

    /**
     * Whether a body of unknown length must be framed by chunks (HTTP/1.1), or the stream's end
     * tells (HTTP/1.0, HTTP/2).
     */
    boolean wantsChunks(RequestHead head);

    /** Whether a body of unknown length can end here without ending the connection. */
    default boolean endsBodies(RequestHead head) {
        return head.minorVersion() > 0;
    }

    /** An answer from memory has been written, whole. */
    void answered(
            RequestHead head, int status, CacheOutcome outcome, long startNanos, boolean keep);

    /**
     * Answers with a short page of the proxy's own; a request body that nobody will read ends the
     * connection.
     */
    void own(RequestHead head, int status, String message, CacheOutcome outcome, long startNanos);

    /** A delivery takes the exchange over; it is given the request's body. */
    void delivering(FetchedResponse by, RequestHead head);

    /** Where this client's exchanges are written down. */
    ExchangeAccounting ledger();

    /** The first byte of a fetched answer is being written. */
    default void responding(long startNanos) {
        ledger().responding(startNanos);
    }

    /** The exchange is over. */
    default void count(
            RequestHead head,
            int status,
            CacheOutcome outcome,
            UpstreamInfo asked,
            long startNanos) {
        ledger().count(head, status, outcome, asked, startNanos);
    }

    /** The client left before an answer began. */
    default void abandoned(
            RequestHead head, CacheOutcome outcome, UpstreamInfo asked, long startNanos) {
        ledger().abandoned(head, outcome, asked, startNanos);
    }

    /** The delivery is through. */
    void delivered(boolean keep);

    /** The answer cannot be completed, and the client must see that. */
    void breakOff();

    /** A shared fetch ended without an answer for this request. */
    void lookAgain(RequestHead head, long startNanos);

    /** The same, with what was found on the disk, which the caller holds. */
    void lookAgain(RequestHead head, long startNanos, StoredResponse restored);

    /** No answer could be had. */
    void failed(RequestHead head, OriginFailure failure, long startNanos, UpstreamInfo asked);

    /** CONNECT: from the answer on, bytes go both ways. */
    void tunnel(RequestHead head, Origin target, long startNanos);

    /** The fetch takes the request's body, or more of it. */
    void uploadReady();
}
