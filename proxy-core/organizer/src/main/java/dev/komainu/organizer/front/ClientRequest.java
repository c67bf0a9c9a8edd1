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
 * A client's request as it goes over the cluster: CONNECT and WebSocket's upgrade both become a
 * tunnel (RFC 8441).
 *
 * @param upgrades it is a WebSocket
 */
record ClientRequest(Http2Headers head, boolean isTunnel, boolean upgrades) {

    private static final AsciiString FORWARDED_FOR = AsciiString.cached("x-forwarded-for");

    /** @param client its address; absent: not known */
    static ClientRequest of(RequestHead said, @Nullable String client) {
        boolean upgrades = isWebSocket(said);
        boolean connects = said.methodIs("CONNECT");
        Http2Headers head = HeadConversion.of(said);
        if (client != null) {
            // Servers behind see an organizer's connection only; as web servers in front of others
            // tell it, behind what came.
            String before = said.fields().joined(Field.X_FORWARDED_FOR);
            head.set(FORWARDED_FOR, before == null ? client : before + ", " + client);
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
