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
 * One attempt of a {@link ForwardedExchange}: the request to one member and its response. It also
 * reports the result to the forecast of that member. Used on the loop.
 */
final class ForwardingAttempt implements StreamListener {

    private final ForwardedExchange exchange;
    private final MemberId member;
    private final MemberForecasts forecasts;
    private final LineStream client;
    private @Nullable LineStream upstream;
    private boolean responseStarted;
    private boolean responseDone;
    private boolean finished;
    private int unconsumed;
    private long receivedBytes;

    ForwardingAttempt(
            ForwardedExchange exchange,
            MemberId member,
            MemberForecasts forecasts,
            LineStream client) {
        this.exchange = exchange;
        this.member = member;
        this.forecasts = forecasts;
        this.client = client;
    }

    MemberId member() {
        return member;
    }

    void setUpstream(LineStream to) {
        upstream = to;
    }

    /** Null before the request was sent, and after the stream broke. */
    @Nullable
    LineStream upstream() {
        return upstream;
    }

    /** Cancels the attempt: the client needs no response any more. */
    void cancel() {
        finish(MemberForecasts.Ending.GIVEN_UP);
        LineStream to = upstream;
        if (to != null) {
            to.reset(Http2Error.CANCEL);
        }
    }

    private void finish(MemberForecasts.Ending ending) {
        if (!finished) {
            finished = true;
            forecasts.ended(member, ending);
        }
    }

    /** Ends an attempt that received no byte of a response. */
    void failed(GatewayError error) {
        // A server that refuses connections is skipped until its next probe. One slow or broken
        // response says nothing about the next.
        finish(
                (error.isUntouched()
                                        && error != GatewayError.LOOP
                                        && error != GatewayError.MALFORMED_REQUEST)
                                || error == GatewayError.LINE_LOST
                        ? MemberForecasts.Ending.UNREACHED
                        : MemberForecasts.Ending.GIVEN_UP);
        exchange.failed(this, error);
    }

    @Override
    public void head(Http2Headers fields, boolean ends) {
        if (!exchange.isCurrent(this)) {
            return;
        }
        GatewayError error = GatewayError.in(fields);
        if (error != null) {
            LineStream from = upstream;
            failed(error);
            if (from != null) {
                from.reset(Http2Error.CANCEL);
            }
            return;
        }
        if (HeadConversion.status(fields) >= 200) {
            responseStarted = true;
            responseDone = ends;
            exchange.responseStarted(this, fields);
        }
        client.head(fields, ends);
    }

    @Override
    public void data(ByteBuf bytes, boolean ends) {
        if (!exchange.isCurrent(this)) {
            bytes.release();
            return;
        }
        responseDone |= ends;
        unconsumed += bytes.readableBytes();
        receivedBytes += bytes.readableBytes();
        client.data(bytes, ends);
        reportConsumed();
    }

    /** Reports the received bytes as consumed when the client accepts more. */
    void reportConsumed() {
        LineStream from = upstream;
        if (unconsumed > 0 && from != null && (responseDone || client.isWritable())) {
            int bytes = unconsumed;
            unconsumed = 0;
            from.consumed(bytes);
        }
    }

    @Override
    public void trailers(Http2Headers fields) {
        if (exchange.isCurrent(this)) {
            responseDone = true;
            client.trailers(fields);
            reportConsumed();
        }
    }

    @Override
    public StreamListener promised(Http2Headers fields, LineStream stream) {
        return exchange.promised(member, fields, stream);
    }

    @Override
    public void writable() {
        if (exchange.isCurrent(this)) {
            exchange.upstreamWritable();
        }
    }

    @Override
    public void ended(StreamEnd end) {
        if (!exchange.isCurrent(this)) {
            return;
        }
        if (!responseStarted) {
            failed(
                    switch (end.reason()) {
                        case NO_CONNECTION, REFUSED -> GatewayError.LINE_DOWN;
                        case MALFORMED -> GatewayError.MALFORMED_ANSWER;
                        default -> GatewayError.LINE_LOST;
                    });
            return;
        }
        // A reset is caused by the member's server or by the other end of the tunnel. Only a lost
        // line counts against the member.
        finish(
                responseDone
                        ? MemberForecasts.Ending.ANSWERED
                        : end.reason() == StreamEnd.Reason.LOST
                                ? MemberForecasts.Ending.UNREACHED
                                : MemberForecasts.Ending.GIVEN_UP);
        if (responseDone) {
            reportConsumed();
        } else {
            upstream = null;
        }
        exchange.attemptEnded(responseDone, receivedBytes);
    }
}
