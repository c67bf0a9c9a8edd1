package dev.komainu.organizer.front;

import dev.komainu.organizer.line.LineStream;
import dev.komainu.organizer.line.StreamEnd;
import dev.komainu.organizer.line.StreamListener;
import dev.komainu.organizer.route.MemberForecasts;
import dev.komainu.organizer.route.MemberId;
import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2Headers;
import org.jspecify.annotations.Nullable;

/**
 * One member asked for a passage's request, and what it says; and what that says of the member. On
 * the loop.
 */
final class ForwardingAttempt implements StreamListener {

    private final ForwardedExchange passage;
    private final MemberId member;
    private final MemberForecasts outlooks;
    private final LineStream client;
    private @Nullable LineStream upstream;
    private boolean answered;
    private boolean saidAll;
    private boolean finished;
    private int owed;
    private long said;

    ForwardingAttempt(
            ForwardedExchange passage,
            MemberId member,
            MemberForecasts outlooks,
            LineStream client) {
        this.passage = passage;
        this.member = member;
        this.outlooks = outlooks;
        this.client = client;
    }

    MemberId member() {
        return member;
    }

    void asks(LineStream to) {
        upstream = to;
    }

    /** Absent before it was asked, and when it broke off. */
    @Nullable
    LineStream upstream() {
        return upstream;
    }

    /** The client wants no answer any more. */
    void giveUp() {
        finish(MemberForecasts.Ending.GIVEN_UP);
        LineStream to = upstream;
        if (to != null) {
            to.reset(Http2Error.CANCEL);
        }
    }

    private void finish(MemberForecasts.Ending ending) {
        if (!finished) {
            finished = true;
            outlooks.ended(member, ending);
        }
    }

    /** Not a byte of an answer came, and none will. */
    void failed(GatewayError why) {
        // A server that does not take connections is left out until it is tried again; one slow or
        // broken answer says nothing of the next.
        finish(
                why.isUntouched()
                                        && why != GatewayError.LOOP
                                        && why != GatewayError.MALFORMED_REQUEST
                                || why == GatewayError.LINE_LOST
                        ? MemberForecasts.Ending.UNREACHED
                        : MemberForecasts.Ending.GIVEN_UP);
        passage.failed(this, why);
    }

    @Override
    public void head(Http2Headers fields, boolean ends) {
        if (!passage.asks(this)) {
            return;
        }
        GatewayError why = GatewayError.in(fields);
        if (why != null) {
            LineStream from = upstream;
            failed(why);
            if (from != null) {
                from.reset(Http2Error.CANCEL);
            }
            return;
        }
        if (HeadConversion.status(fields) >= 200) {
            answered = true;
            saidAll = ends;
            passage.answers(this, fields);
        }
        client.head(fields, ends);
    }

    @Override
    public void data(ByteBuf bytes, boolean ends) {
        if (!passage.asks(this)) {
            bytes.release();
            return;
        }
        saidAll |= ends;
        owed += bytes.readableBytes();
        said += bytes.readableBytes();
        client.data(bytes, ends);
        settle();
    }

    /** Lets it say more when the client has room. */
    void settle() {
        LineStream from = upstream;
        if (owed > 0 && from != null && (saidAll || client.isWritable())) {
            int taken = owed;
            owed = 0;
            from.consumed(taken);
        }
    }

    @Override
    public void trailers(Http2Headers fields) {
        if (passage.asks(this)) {
            saidAll = true;
            client.trailers(fields);
            settle();
        }
    }

    @Override
    public StreamListener promised(Http2Headers fields, LineStream stream) {
        return passage.promised(member, fields, stream);
    }

    @Override
    public void writable() {
        if (passage.asks(this)) {
            passage.hasRoom();
        }
    }

    @Override
    public void ended(StreamEnd how) {
        if (!passage.asks(this)) {
            return;
        }
        if (!answered) {
            failed(
                    switch (how.reason()) {
                        case NO_CONNECTION, REFUSED -> GatewayError.LINE_DOWN;
                        case MALFORMED -> GatewayError.MALFORMED_ANSWER;
                        default -> GatewayError.LINE_LOST;
                    });
            return;
        }
        // A reset says that its server, or the tunnel's other end, broke off; only a lost line says
        // something of the member.
        finish(
                saidAll
                        ? MemberForecasts.Ending.ANSWERED
                        : how.reason() == StreamEnd.Reason.LOST
                                ? MemberForecasts.Ending.UNREACHED
                                : MemberForecasts.Ending.GIVEN_UP);
        if (saidAll) {
            settle();
        } else {
            upstream = null;
        }
        passage.over(saidAll, said);
    }
}
