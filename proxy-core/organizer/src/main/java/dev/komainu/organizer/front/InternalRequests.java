package dev.komainu.organizer.front;

import dev.komainu.organizer.line.LineStream;
import dev.komainu.organizer.line.StreamListener;
import dev.komainu.organizer.line.endpoint.Line;
import dev.komainu.organizer.route.Announcement;
import dev.komainu.organizer.route.MemberId;
import io.netty.handler.codec.http2.Http2Headers;

/** Requests that begin in this process, and on no connection. On the loop. */
final class InternalRequests {

    private InternalRequests() {}

    /**
     * Asks as a client would.
     *
     * @param hears is told the answer, at the earliest after this has returned
     */
    static LineStream ask(FrontLoop at, Http2Headers asked, StreamListener hears) {
        return LocalStream.open(
                at.loop(),
                hears,
                answer -> ForwardedExchange.take(at, asked, false, answer, false));
    }

    /** Asks one member and no other; what it is asked must be a tunnel. */
    static LineStream askOnly(
            FrontLoop at, MemberId member, Http2Headers asked, StreamListener hears) {
        if (member.equals(at.routing().self())) {
            return LocalStream.open(
                    at.loop(),
                    hears,
                    answer -> at.tunnels().take(asked, false, answer, ForwardedExchange.HERE));
        }
        for (Announcement announcement : at.routing().tableNow().announcements()) {
            Line line = announcement.member().equals(member)
                    ? at.lines().to(member, announcement.line())
                    : null;
            if (line != null) {
                return line.open(asked, false, hears);
            }
        }
        return LocalStream.open(at.loop(), hears, answer -> {
            answer.head(at.routing().refusal(GatewayError.LINE_DOWN, member.text()), true);
            return StreamListener.NOBODY;
        });
    }
}
