package dev.komainu.organizer.front;

import dev.komainu.intermediary.message.Field;
import dev.komainu.intermediary.message.Fields;
import dev.komainu.intermediary.message.RequestHead;
import dev.komainu.intermediary.message.TokenList;
import dev.komainu.organizer.line.tunnel.TunnelAcceptor;
import dev.komainu.organizer.line.tunnel.WebSocketHandshake;
import io.netty.handler.codec.http2.Http2Headers;
import io.netty.util.AsciiString;
import org.jspecify.annotations.Nullable;

/**
 * A client's request in the form that is sent over the cluster. CONNECT and the WebSocket upgrade
 * both become a tunnel (RFC 8441).
 *
 * @param upgrades whether the request is a WebSocket upgrade
 */
record ClientRequest(Http2Headers head, boolean isTunnel, boolean upgrades) {

    private static final AsciiString FORWARDED_FOR = AsciiString.cached("x-forwarded-for");

    /**
     * Converts a request head.
     *
     * @param client address of the client; null: unknown
     */
    static ClientRequest of(RequestHead requestHead, @Nullable String client) {
        boolean upgrades = isWebSocket(requestHead);
        boolean connects = requestHead.methodIs("CONNECT");
        Http2Headers head = HeadConversion.of(requestHead);
        if (client != null) {
            // Origin servers see only the connection of an organizer. The client's address is
            // appended to X-Forwarded-For, as other reverse proxies do.
            String existing = requestHead.fields().joined(Field.X_FORWARDED_FOR);
            head.set(FORWARDED_FOR, existing == null ? client : existing + ", " + client);
        }
        if (connects || upgrades) {
            head.method("CONNECT");
            head.add(
                    HeadConversion.PROTOCOL,
                    connects ? TunnelAcceptor.TCP : WebSocketHandshake.WEBSOCKET);
            if (connects) {
                head.path("/");
            } else {
                head.remove("sec-websocket-key");
            }
        }
        return new ClientRequest(head, connects || upgrades, upgrades);
    }

    private static boolean isWebSocket(RequestHead head) {
        Fields fields = head.fields();
        String upgrade = fields.joined(Field.UPGRADE);
        return upgrade != null
                && upgrade.strip().equalsIgnoreCase("websocket")
                && head.methodIs("GET")
                && head.minorVersion() > 0
                && !head.hasBody()
                && TokenList.contains(String.valueOf(fields.joined(Field.CONNECTION)), "upgrade")
                && fields.joined("sec-websocket-key") != null;
    }
}
