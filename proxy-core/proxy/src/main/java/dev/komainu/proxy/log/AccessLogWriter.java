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
 * One event loop's hand in the access log: makes a line and puts it into the loop's ring. Only its
 * loop touches it. When there is no access log, each call returns at once.
 */
public final class AccessLogWriter {

    private static final byte[] NOTHING = new byte[0];

    private final @Nullable AccessLog log;
    private final @Nullable LogRing ring;
    private final LoopTally tally;
    private final ProxyClock clock;
    private final LogEntry entry = new LogEntry();
    private final LogClock seconds = new LogClock();
    private final LogLineBuffer text;
    private byte @Nullable [] answer;
    private int answerLength;
    /** Copies of stored heads; grows to the longest. */
    private byte[] copied = NOTHING;

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

    /** Whether lines are written at all. */
    public boolean isOn() {
        return log != null;
    }

    /** A client's address as lines tell it; made once for a connection. */
    public byte[] client(@Nullable InetAddress address) {
        if (log == null || address == null) {
            return NOTHING;
        }
        text.clear();
        text.address(address);
        return java.util.Arrays.copyOf(text.bytes(), text.length());
    }

    /**
     * What the next line's account does not know.
     *
     * @param head encoded head of the answer, or of what is stored; absent for the proxy's own page
     * @param wasKnown whether something was stored when the origin was asked
     * @param incomplete the answer broke off
     */
    public void note(byte @Nullable [] head, boolean wasKnown, boolean incomplete) {
        if (log != null) {
            answer = head;
            answerLength = head == null ? 0 : head.length;
            known = wasKnown;
            aborted = incomplete;
        }
    }

    /** The next line is about an answer from memory, which the caller holds. */
    public void note(StoredResponse stored) {
        if (log != null) {
            int length = stored.headLength();
            if (copied.length < length) {
                copied = new byte[Math.max(512, length)];
            }
            stored.copyHead(copied);
            answer = copied;
            answerLength = length;
            known = false;
            aborted = false;
        }
    }

    /**
     * An exchange is over.
     *
     * @param client as {@link #client} made it
     * @param status 0 when no answer began
     * @param asked of whom a fetch was made or waited for, be it in vain; absent: there was none
     * @param sentBytes heads included
     * @param fallbackAuthority the host that stands in where the request names none
     */
    public void line(
            byte[] client,
            RequestHead head,
            int status,
            CacheOutcome outcome,
            @Nullable UpstreamInfo asked,
            long sentBytes,
            long startNanos,
            boolean http2,
            boolean secure,
            byte[] fallbackAuthority) {
        AccessLog to = log;
        if (to == null) {
            return;
        }
        LogEntry e = entry;
        e.head = head;
        e.code = ResultCode.of(
                outcome, status, asked != null, known, head.fields().has(Field.IF_NONE_MATCH));
        e.aborted = aborted;
        InetSocketAddress server = asked == null ? null : asked.address();
        e.server = server == null ? null : server.getAddress();
        e.member = asked != null && asked.hierarchyCode().isMember() ? asked : null;
        e.secure = secure;
        e.http2 = http2;
        e.fallbackAuthority = fallbackAuthority;
        e.durationMillis = (System.nanoTime() - startNanos) / 1_000_000;
        byte[] from = answer;
        if (from != null) {
            e.typeOf(from, answerLength);
        } else if (outcome == CacheOutcome.TUNNEL || status == 0) {
            e.noType();
        } else {
            e.ownType();
        }
        write(to, client, status, sentBytes);
        answer = null;
        known = false;
        aborted = false;
        e.head = null;
        e.server = null;
        e.member = null;
        e.noType();
    }

    /**
     * What came was no request.
     *
     * @param status what it was answered with; 0: nothing
     */
    public void fault(byte[] client, int status, long sentBytes) {
        AccessLog to = log;
        if (to == null) {
            return;
        }
        entry.head = null;
        entry.code = ResultCode.NONE_NONE;
        entry.aborted = false;
        entry.server = null;
        entry.member = null;
        entry.durationMillis = 0;
        if (status == 0) {
            entry.noType();
        } else {
            entry.ownType();
        }
        write(to, client, status, sentBytes);
    }

    private void write(AccessLog to, byte[] client, int status, long sentBytes) {
        entry.client = client;
        entry.status = status;
        entry.sentBytes = sentBytes;
        entry.wallMillis = clock.wallMillis();
        entry.withQuery = to.settings().withQuery();
        text.clear();
        to.settings().format().write(entry, text, seconds);
        text.end();
        LogRing into = ring;
        if (into == null || !into.put(text.bytes(), text.length())) {
            if (to.isFailing()) {
                tally.logLostToDisk++;
            } else {
                tally.logOverflows++;
            }
            return;
        }
        tally.logLines++;
        if (into.isHalfFull()) {
            to.hurry();
        }
    }
}
