package dev.komainu.organizer.front;

import dev.komainu.intermediary.message.RequestHead;
import dev.komainu.intermediary.upstream.ClusterUpstream;
import dev.komainu.intermediary.upstream.HierarchyCode;
import dev.komainu.intermediary.upstream.ResponseListener;
import dev.komainu.organizer.line.LineStream;
import dev.komainu.organizer.line.MemberFields;
import dev.komainu.organizer.line.StreamEnd;
import dev.komainu.organizer.line.StreamListener;
import dev.komainu.organizer.line.endpoint.Line;
import dev.komainu.organizer.route.MemberForecasts;
import dev.komainu.organizer.route.MemberId;
import io.netty.buffer.ByteBuf;
import io.netty.channel.EventLoop;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2Headers;
import io.netty.util.AsciiString;
import io.netty.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A request for one object to the cache that owns it: the lookup and the object take one round
 * trip. The owner sends {@code 102} when it has to request the object from the origin. An owner
 * that sends nothing at all before the patience timeout is skipped and marked as unreached.
 */
final class OwnerRequest extends MemberRequest implements StreamListener {

    private static final AsciiString LOOKUP = AsciiString.cached("1");
    private static final String WORKING = "102";

    private final MemberForecasts forecasts;
    private final MemberId owner;
    private final Line line;
    private final boolean secure;
    /** Purges that the owner must have applied; null: there are no recent ones. */
    private final @Nullable String requiredPurges;

    private final long patienceNanos;
    private @Nullable LineStream stream;
    private @Nullable Future<?> patienceTimeout;
    private boolean inForecast;

    OwnerRequest(
            EventLoop loop,
            RequestHead scratch,
            ResponseListener listener,
            MemberForecasts forecasts,
            MemberId owner,
            Line line,
            boolean secure,
            @Nullable String requiredPurges,
            long patienceNanos) {
        super(loop, scratch, listener);
        this.forecasts = forecasts;
        this.owner = owner;
        this.line = line;
        this.secure = secure;
        this.requiredPurges = requiredPurges;
        this.patienceNanos = patienceNanos;
    }

    @Override
    public String peerName() {
        return owner.text();
    }

    @Override
    public HierarchyCode hierarchyCode() {
        return HierarchyCode.OWNER;
    }

    @Override
    void start(Http2Headers head, boolean complete) {
        forecasts.started(owner);
        inForecast = true;
        if (!line.isUp()) {
            loop.execute(() -> failUnreached("no connection"));
            return;
        }
        head.set(MemberFields.OWNER, LOOKUP);
        if (requiredPurges != null) {
            head.set(MemberFields.HEARD, requiredPurges);
        }
        if (secure) {
            head.scheme("https");
        }
        patienceTimeout = loop.schedule(this::patienceExpired, patienceNanos, TimeUnit.NANOSECONDS);
        stream = line.open(head, complete, this);
    }

    private void patienceExpired() {
        if (!ended && !responseStarted) {
            finish(MemberForecasts.Ending.UNREACHED);
            fail(504, ClusterUpstream.SILENT, "The member " + owner + " did not respond in time");
            resetStream();
        }
    }

    private void failUnreached(String detail) {
        finish(MemberForecasts.Ending.UNREACHED);
        fail(502, "owner-unreached", "The member " + owner + " was not reached: " + detail);
    }

    private void finish(MemberForecasts.Ending ending) {
        cancelPatience();
        if (inForecast) {
            inForecast = false;
            forecasts.ended(owner, ending);
        }
    }

    private void cancelPatience() {
        Future<?> waiting = patienceTimeout;
        if (waiting != null) {
            patienceTimeout = null;
            waiting.cancel(false);
        }
    }

    private void resetStream() {
        LineStream current = stream;
        stream = null;
        if (current != null) {
            current.reset(Http2Error.CANCEL);
        }
    }

    /** Owner requests have no body. */
    @Override
    public boolean sendBody(ByteBuf part, boolean last) {
        part.release();
        return true;
    }

    @Override
    public void head(Http2Headers fields, boolean ends) {
        cancelPatience();
        if (ended || WORKING.contentEquals(String.valueOf(fields.status()))) {
            return;
        }
        if (fields.contains(MemberFields.REFUSAL)) {
            finish(MemberForecasts.Ending.GIVEN_UP);
            fail(502, ClusterUpstream.REFUSED, "The member " + owner + " has no response");
            return;
        }
        receiveHead(fields, ends);
    }

    @Override
    public void data(ByteBuf bytes, boolean ends) {
        receiveData(bytes, ends);
    }

    @Override
    public void trailers(Http2Headers fields) {
        receiveTrailers(fields);
    }

    @Override
    public void writable() {
        // The request has no body.
    }

    @Override
    public void ended(StreamEnd end) {
        if (end.reason() == StreamEnd.Reason.COMPLETE) {
            finish(MemberForecasts.Ending.ANSWERED);
        } else if (!ended && !responseStarted) {
            stream = null;
            failUnreached(end.detail());
        } else {
            stream = null;
            finish(
                    end.reason() == StreamEnd.Reason.LOST
                            ? MemberForecasts.Ending.UNREACHED
                            : MemberForecasts.Ending.GIVEN_UP);
            fail(502, "owner-broke", "The member " + owner + " broke off: " + end.detail());
        }
    }

    @Override
    void delivered(int bytes) {
        LineStream from = stream;
        if (from != null) {
            from.consumed(bytes);
        }
    }

    @Override
    void completed() {
        cancelPatience();
    }

    @Override
    void cancel() {
        finish(MemberForecasts.Ending.GIVEN_UP);
        resetStream();
    }
}
