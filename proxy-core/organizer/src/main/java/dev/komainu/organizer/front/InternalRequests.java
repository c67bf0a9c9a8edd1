package dev.komainu.organizer.front;

import dev.komainu.organizer.line.LineStream;
import dev.komainu.organizer.line.StreamListener;
import dev.komainu.organizer.line.endpoint.Line;
import dev.komainu.organizer.route.Announcement;
import dev.komainu.organizer.route.MemberId;
import io.netty.handler.codec.http2.Http2Headers;

/** Requests that start in this process instead of a connection. Used on the loop. */
final class InternalRequests {

    private InternalRequests() {}

    /**
     * Sends a request, as for a client.
     *
     * @param listener receives the response, never before this method returns
     */
    static LineStream send(FrontLoop frontLoop, Http2Headers request, StreamListener listener) {
        return LocalStream.open(
                frontLoop.loop(),
                listener,
                response ->
                        ForwardedExchange.takeOfClient(frontLoop, request, false, response, true));
    }

    /** Sends a request to this member only. The request must be a tunnel. */
    static LineStream sendTo(
            FrontLoop frontLoop, MemberId member, Http2Headers request, StreamListener listener) {
        if (member.equals(frontLoop.routing().self())) {
            return LocalStream.open(
                    frontLoop.loop(),
                    listener,
                    response -> frontLoop
                            .tunnels()
                            .take(request, false, response, ForwardedExchange.LOCAL_PEER));
        }
        for (Announcement announcement : frontLoop.routing().currentTable().announcements()) {
            Line line = announcement.member().equals(member)
                    ? frontLoop.lines().line(member, announcement.line())
                    : null;
            if (line != null) {
                return line.open(request, false, listener);
            }
        }
        return LocalStream.open(frontLoop.loop(), listener, response -> {
            response.head(frontLoop.routing().refusal(GatewayError.LINE_DOWN, member.text()), true);
            return StreamListener.NOBODY;
        });
    }
}
