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
 * One object asked of the cache that owns it: the question and the object in one round trip. The
 * owner says {@code 102} when it has to ask the origin itself; one that has said nothing at all
 * when patience ends is passed by, and rests.
 */
final class OwnerRequest extends MemberRequest implements StreamListener {

    private static final AsciiString ASKS = AsciiString.cached("1");
    private static final String WORKING = "102";

    private final MemberForecasts outlooks;
    private final MemberId owner;
    private final Line line;
    private final boolean secure;
    /** Purges that the owner must have heard; absent: none of late. */
    private final @Nullable String needs;

    private final long patienceNanos;
    private @Nullable LineStream stream;
    private @Nullable Future<?> patience;
    private boolean began;

    OwnerRequest(
            EventLoop loop,
            RequestHead scratch,
            ResponseListener hears,
            MemberForecasts outlooks,
            MemberId owner,
            Line line,
            boolean secure,
            @Nullable String needs,
            long patienceNanos) {
        super(loop, scratch, hears);
        this.outlooks = outlooks;
        this.owner = owner;
        this.line = line;
        this.secure = secure;
        this.needs = needs;
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
    void ask(Http2Headers head, boolean complete) {
        outlooks.began(owner);
        began = true;
        if (!line.isUp()) {
            loop.execute(() -> unreached("there is no connection"));
            return;
        }
        head.set(MemberFields.OWNER, ASKS);
        if (needs != null) {
            head.set(MemberFields.HEARD, needs);
        }
        if (secure) {
            head.scheme("https");
        }
        patience = loop.schedule(this::silent, patienceNanos, TimeUnit.NANOSECONDS);
        stream = line.open(head, complete, this);
    }

    private void silent() {
        if (!over && !answered) {
            finish(MemberForecasts.Ending.UNREACHED);
            fail(504, ClusterUpstream.SILENT, "The member " + owner + " said nothing in time");
            drop();
        }
    }

    private void unreached(String why) {
        finish(MemberForecasts.Ending.UNREACHED);
        fail(502, "owner-unreached", "The member " + owner + " was not reached: " + why);
    }

    private void finish(MemberForecasts.Ending ending) {
        hasSpoken();
        if (began) {
            began = false;
            outlooks.ended(owner, ending);
        }
    }

    private void hasSpoken() {
        Future<?> waiting = patience;
        if (waiting != null) {
            patience = null;
            waiting.cancel(false);
        }
    }

    private void drop() {
        LineStream had = stream;
        stream = null;
        if (had != null) {
            had.reset(Http2Error.CANCEL);
        }
    }

    /** Only requests without a body are asked of owners. */
    @Override
    public boolean sendBody(ByteBuf part, boolean last) {
        part.release();
        return true;
    }

    @Override
    public void head(Http2Headers fields, boolean ends) {
        hasSpoken();
        if (over || WORKING.contentEquals(String.valueOf(fields.status()))) {
            return;
        }
        if (fields.contains(MemberFields.REFUSAL)) {
            finish(MemberForecasts.Ending.GIVEN_UP);
            fail(502, ClusterUpstream.REFUSED, "The member " + owner + " has no answer");
            return;
        }
        heard(fields, ends);
    }

    @Override
    public void data(ByteBuf bytes, boolean ends) {
        heard(bytes, ends);
    }

    @Override
    public void trailers(Http2Headers fields) {
        heardBehind(fields);
    }

    @Override
    public void writable() {
        // There is nothing more to say.
    }

    @Override
    public void ended(StreamEnd how) {
        if (how.reason() == StreamEnd.Reason.COMPLETE) {
            finish(MemberForecasts.Ending.ANSWERED);
        } else if (!over && !answered) {
            stream = null;
            unreached(how.detail());
        } else {
            stream = null;
            finish(
                    how.reason() == StreamEnd.Reason.LOST
                            ? MemberForecasts.Ending.UNREACHED
                            : MemberForecasts.Ending.GIVEN_UP);
            fail(502, "owner-broke", "The member " + owner + " broke off: " + how.detail());
        }
    }

    @Override
    void took(int bytes) {
        LineStream from = stream;
        if (from != null) {
            from.consumed(bytes);
        }
    }

    @Override
    void done() {
        hasSpoken();
    }

    @Override
    void giveUp() {
        finish(MemberForecasts.Ending.GIVEN_UP);
        drop();
    }
}
