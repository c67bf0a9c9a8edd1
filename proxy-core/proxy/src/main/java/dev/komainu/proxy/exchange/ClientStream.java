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
 * The source of a request and the destination of its response: an HTTP/1 connection, or one stream
 * of an HTTP/2 connection. It is the interface that an {@link Exchange} and a {@link FetchDelivery}
 * use; all methods run on its event loop.
 *
 * <p>A response is written as HTTP/1 text: first its head, whole and in the first buffer of the
 * response (behind it, perhaps, the beginning of the body), then its body. A final head may follow
 * informational ones, each in a buffer of its own. An implementation for another protocol
 * translates.
 */
interface ClientStream {

    /**
     * Reports whether the peer is a member of the cluster, which sends the request of its own
     * client.
     */
    default boolean isMember() {
        return false;
    }

    /** Reports whether this client may use the proxy at all. */
    boolean permitted();

    InetAddress client();

    /**
     * Reports whether the client accepts more bytes; when this becomes true again, the delivery
     * continues.
     */
    boolean isWritable();

    /**
     * Limits the bytes that may wait for the client: above the limit the stream is not writable.
     */
    void limitPendingBytes(int bytes);

    /** Returns an empty direct buffer of at least this many bytes. */
    ByteBuf buffer(int size);

    /** Writes bytes. Takes ownership of the buffer. */
    void write(ByteBuf bytes);

    /** Writes field lines behind a body that is not chunked, for a protocol that has trailers. */
    default void trailers(byte[] lines) {}

    /**
     * Reports whether trailers can follow a body of unknown length, and the client accepts them
     * (RFC 9110 section 6.5.1).
     */
    default boolean takesTrailers(RequestHead head) {
        return wantsChunks(head) && TrailerFields.areAccepted(head);
    }

    /** Sends the written bytes at the end of this turn of the loop. */
    void flushLater();

    /** Reports whether the connection stays open after this exchange's response. */
    boolean keepsAlive(RequestHead head);

    /**
     * Reports whether a body of unknown length must be chunked (HTTP/1.1). Otherwise the stream's
     * end marks its end (HTTP/1.0, HTTP/2).
     */
    boolean wantsChunks(RequestHead head);

    /** Reports whether a body of unknown length can end without ending the connection. */
    default boolean endsBodies(RequestHead head) {
        return head.minorVersion() > 0;
    }

    /** Finishes an exchange whose response was written whole from memory. */
    void finishHit(
            RequestHead head, int status, CacheOutcome outcome, long startNanos, boolean keep);

    /**
     * Responds with a short page of the proxy's own; a request body that is not read ends the
     * connection.
     */
    void respond(
            RequestHead head, int status, String message, CacheOutcome outcome, long startNanos);

    /** Hands the exchange to a delivery, which receives the request's body. */
    void startDelivery(FetchedResponse response, RequestHead head);

    /** Returns the accounting of this client's exchanges. */
    ExchangeAccounting accounting();

    /** Records that the first byte of a fetched response is being written. */
    default void responding(long startNanos) {
        accounting().responding(startNanos);
    }

    /** Records that the exchange is over. */
    default void count(
            RequestHead head,
            int status,
            CacheOutcome outcome,
            UpstreamInfo upstream,
            long startNanos) {
        accounting().count(head, status, outcome, upstream, startNanos);
    }

    /** Records that the client left before a response began. */
    default void abandoned(
            RequestHead head, CacheOutcome outcome, UpstreamInfo upstream, long startNanos) {
        accounting().abandoned(head, outcome, upstream, startNanos);
    }

    /** Ends the delivery after its response was written. */
    void endDelivery(boolean keep);

    /** Breaks off a response that cannot be completed; the client must see that. */
    void breakOff();

    /** Repeats the lookup: a shared fetch ended without a response for this request. */
    void retry(RequestHead head, long startNanos);

    /**
     * Repeats the lookup with a response that was read from the disk; it is retained by the caller.
     */
    void retry(RequestHead head, long startNanos, StoredResponse restored);

    /** Responds with an error after the fetch failed. */
    void failed(RequestHead head, OriginFailure failure, long startNanos, UpstreamInfo upstream);

    /** Starts a tunnel (CONNECT): after the response, bytes are relayed in both directions. */
    void tunnel(RequestHead head, Origin target, long startNanos);

    /** Signals that the fetch accepts the request's body, or more of it. */
    void uploadReady();
}
