package dev.komainu.proxy.log;

import dev.komainu.intermediary.caching.ProxyClock;
import dev.komainu.intermediary.message.Field;
import dev.komainu.intermediary.message.RequestHead;
import dev.komainu.intermediary.upstream.UpstreamInfo;
import dev.komainu.proxy.cache.StoredResponse;
import dev.komainu.proxy.tally.LoopTally;
import dev.komainu.telemetry.record.ProxyExchange.CacheOutcome;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;

/**
 * The writer of one event loop's lines: formats a line and puts it into the loop's ring. Used by
 * its loop only. Without an access log, each call returns at once.
 */
public final class AccessLogWriter {

    private static final byte[] NO_BYTES = new byte[0];

    private final @Nullable AccessLog log;
    private final @Nullable LogRing ring;
    private final LoopTally tally;
    private final ProxyClock clock;
    private final LogEntry entry = new LogEntry();
    private final LogClock logClock = new LogClock();
    private final LogLineBuffer text;
    private byte @Nullable [] responseHead;
    private int responseHeadLength;
    /** Buffer for copies of stored heads; grows to the longest. */
    private byte[] headCopy = NO_BYTES;

    private boolean known;
    private boolean aborted;

    AccessLogWriter(
            @Nullable AccessLog log,
            @Nullable LogRing ring,
            LoopTally tally,
            ProxyClock clock,
            LogLineBuffer text) {
        this.log = log;
        this.ring = ring;
        this.tally = tally;
        this.clock = clock;
        this.text = text;
    }

    /** Reports whether lines are written at all. */
    public boolean isOn() {
        return log != null;
    }

    /** Returns a client's address as written in lines; called once for a connection. */
    public byte[] client(@Nullable InetAddress address) {
        if (log == null || address == null) {
            return NO_BYTES;
        }
        text.clear();
        text.address(address);
        return java.util.Arrays.copyOf(text.bytes(), text.length());
    }

    /**
     * Adds data for the next line that the exchange's account does not have.
     *
     * @param head encoded head of the response, or of the stored response; null for the proxy's own
     *     page
     * @param wasKnown whether a response was stored when the origin was requested
     * @param incomplete whether the response was aborted
     */
    public void note(byte @Nullable [] head, boolean wasKnown, boolean incomplete) {
        if (log != null) {
            responseHead = head;
            responseHeadLength = head == null ? 0 : head.length;
            known = wasKnown;
            aborted = incomplete;
        }
    }

    /**
     * Adds the head of a response from memory, which the caller has retained, for the next line.
     */
    public void note(StoredResponse stored) {
        if (log != null) {
            int length = stored.headLength();
            if (headCopy.length < length) {
                headCopy = new byte[Math.max(512, length)];
            }
            stored.copyHead(headCopy);
            responseHead = headCopy;
            responseHeadLength = length;
            known = false;
            aborted = false;
        }
    }

    /**
     * Writes the line of a finished exchange.
     *
     * @param client as returned by {@link #client}
     * @param status 0 when no response started
     * @param upstream server or member of a fetch that was made or waited for, successful or not;
     *     null: none
     * @param sentBytes heads included
     * @param fallbackAuthority the host used where the request has none
     */
    public void line(
            byte[] client,
            RequestHead head,
            int status,
            CacheOutcome outcome,
            @Nullable UpstreamInfo upstream,
            long sentBytes,
            long startNanos,
            boolean http2,
            boolean secure,
            byte[] fallbackAuthority) {
        AccessLog accessLog = log;
        if (accessLog == null) {
            return;
        }
        LogEntry e = entry;
        e.head = head;
        e.code = ResultCode.of(
                outcome, status, upstream != null, known, head.fields().has(Field.IF_NONE_MATCH));
        e.aborted = aborted;
        InetSocketAddress server = upstream == null ? null : upstream.address();
        e.server = server == null ? null : server.getAddress();
        e.member = upstream != null && upstream.hierarchyCode().isMember() ? upstream : null;
        e.secure = secure;
        e.http2 = http2;
        e.fallbackAuthority = fallbackAuthority;
        e.durationMillis = (System.nanoTime() - startNanos) / 1_000_000;
        byte[] from = responseHead;
        if (from != null) {
            e.findType(from, responseHeadLength);
        } else if (outcome == CacheOutcome.TUNNEL || status == 0) {
            e.clearType();
        } else {
            e.setOwnType();
        }
        write(accessLog, client, status, sentBytes);
        responseHead = null;
        known = false;
        aborted = false;
        e.head = null;
        e.server = null;
        e.member = null;
        e.clearType();
    }

    /**
     * Writes the line of bytes that could not be parsed as a request.
     *
     * @param status status of the response; 0: none
     */
    public void fault(byte[] client, int status, long sentBytes) {
        AccessLog accessLog = log;
        if (accessLog == null) {
            return;
        }
        entry.head = null;
        entry.code = ResultCode.NONE_NONE;
        entry.aborted = false;
        entry.server = null;
        entry.member = null;
        entry.durationMillis = 0;
        if (status == 0) {
            entry.clearType();
        } else {
            entry.setOwnType();
        }
        write(accessLog, client, status, sentBytes);
    }

    private void write(AccessLog accessLog, byte[] client, int status, long sentBytes) {
        entry.client = client;
        entry.status = status;
        entry.sentBytes = sentBytes;
        entry.wallMillis = clock.wallMillis();
        entry.withQuery = accessLog.settings().withQuery();
        text.clear();
        accessLog.settings().format().write(entry, text, logClock);
        text.end();
        LogRing target = ring;
        if (target == null || !target.put(text.bytes(), text.length())) {
            if (accessLog.isFailing()) {
                tally.logLostToDisk++;
            } else {
                tally.logOverflows++;
            }
            return;
        }
        tally.logLines++;
        if (target.isHalfFull()) {
            accessLog.wakeUp();
        }
    }
}
