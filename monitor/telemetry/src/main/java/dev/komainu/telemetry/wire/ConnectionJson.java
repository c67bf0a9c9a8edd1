package dev.komainu.telemetry.wire;

import dev.komainu.telemetry.record.ConnectionRecord;
import dev.komainu.telemetry.record.ConnectionState;
import dev.komainu.telemetry.record.DirectionTotals;
import dev.komainu.telemetry.record.Handshake;
import dev.komainu.telemetry.record.HttpExchange;
import dev.komainu.telemetry.record.TlsFacts;

/**
 * JSON of a connection, as {@code analyze --json} prints it: names and units are a contract with
 * scripts.
 */
final class ConnectionJson {

    private static final String STATES =
            "normal, rst-client, rst-server, refused, no-answer, half-open, half-closed, open, midstream";

    private ConnectionJson() {}

    static void write(ConnectionRecord it, JsonObjectWriter out) {
        out.text("service", it.service());
        out.text("client", it.client().toString());
        out.text("server", it.server().toString());
        out.int64("startMicros", it.startMicros());
        out.int64("endMicros", it.endMicros());
        out.int64("durationMicros", it.durationMicros());
        out.text("state", it.state().label());
        Handshake opening = it.handshake();
        out.int64OrAbsent("synMicros", opening.synMicros());
        out.int64OrAbsent("synAckMicros", opening.synAckMicros());
        out.int64OrAbsent("handshakeMicros", opening.handshakeMicros());
        out.int64OrAbsent("serverRttMicros", opening.serverRttMicros());
        out.int64OrAbsent("clientRttMicros", opening.clientRttMicros());
        writeTotals(it.up(), it.down(), out);
        out.int64("synCount", opening.synCount());
        out.int64OrAbsent("transferMicros", it.transferMicros());
        out.objects("exchanges", it.exchanges(), ConnectionJson::writeExchange);
        if (it.exchangesLeftOut() != 0) {
            out.int64("exchangesLeftOut", it.exchangesLeftOut());
        }
        out.objectOrAbsent("tls", it.tls(), ConnectionJson::writeTls);
    }

    static ConnectionRecord read(JsonObjectReader in) throws MalformedBatchException {
        return new ConnectionRecord(
                in.textOrAbsent("service"),
                in.endpoint("client"),
                in.endpoint("server"),
                in.int64("startMicros"),
                in.int64("endMicros"),
                in.int64("durationMicros"),
                in.oneOf("state", ConnectionState::ofLabel, STATES),
                new Handshake(
                        in.int64OrAbsent("synMicros"),
                        in.int64OrAbsent("synAckMicros"),
                        in.int64OrAbsent("handshakeMicros"),
                        in.count32("synCount"),
                        in.int64OrAbsent("serverRttMicros"),
                        in.int64OrAbsent("clientRttMicros")),
                readTotals(in, "Up"),
                readTotals(in, "Down"),
                in.int64OrAbsent("transferMicros"),
                in.objects("exchanges", ConnectionJson::readExchange),
                in.count32("exchangesLeftOut"),
                in.objectOrAbsent("tls", ConnectionJson::readTls));
    }

    static void writeTotals(DirectionTotals up, DirectionTotals down, JsonObjectWriter out) {
        out.int64("packetsUp", up.packets());
        out.int64("packetsDown", down.packets());
        out.int64("wireBytesUp", up.wireBytes());
        out.int64("wireBytesDown", down.wireBytes());
        out.int64("payloadBytesUp", up.payloadBytes());
        out.int64("payloadBytesDown", down.payloadBytes());
        out.int64("uniqueBytesUp", up.uniqueBytes());
        out.int64("uniqueBytesDown", down.uniqueBytes());
        out.int64("retransmissionsUp", up.retransmissions());
        out.int64("retransmissionsDown", down.retransmissions());
        out.int64("outOfOrderUp", up.outOfOrder());
        out.int64("outOfOrderDown", down.outOfOrder());
        out.int64("zeroWindowUp", up.zeroWindow());
        out.int64("zeroWindowDown", down.zeroWindow());
    }

    static DirectionTotals readTotals(JsonObjectReader in, String way)
            throws MalformedBatchException {
        return new DirectionTotals(
                in.count("packets" + way),
                in.count("wireBytes" + way),
                in.count("payloadBytes" + way),
                in.count("uniqueBytes" + way),
                in.count("retransmissions" + way),
                in.count("outOfOrder" + way),
                in.count("zeroWindow" + way));
    }

    private static void writeExchange(HttpExchange it, JsonObjectWriter out) {
        out.text("method", it.method());
        out.text("target", it.target());
        out.int32OrAbsent("status", it.status());
        out.int64("requestMicros", it.requestMicros());
        out.int64OrAbsent("firstByteMicros", it.firstByteMicros());
        out.int64OrAbsent("lastByteMicros", it.lastByteMicros());
        out.int64OrAbsent("responseMicros", it.responseMicros());
        out.int64OrAbsent("transferMicros", it.transferMicros());
        out.int64OrAbsent("acknowledgementMicros", it.acknowledgementMicros());
        out.int64OrAbsent("thinkMicros", it.thinkMicros());
    }

    private static HttpExchange readExchange(JsonObjectReader in) throws MalformedBatchException {
        return new HttpExchange(
                in.textOrAbsent("method"),
                in.textOrAbsent("target"),
                in.int32OrAbsent("status"),
                in.int64("requestMicros"),
                in.int64OrAbsent("firstByteMicros"),
                in.int64OrAbsent("lastByteMicros"),
                in.int64OrAbsent("responseMicros"),
                in.int64OrAbsent("transferMicros"),
                in.int64OrAbsent("acknowledgementMicros"),
                in.int64OrAbsent("thinkMicros"));
    }

    private static void writeTls(TlsFacts it, JsonObjectWriter out) {
        out.text("version", it.version());
        out.text("sni", it.sni());
        out.text("alpn", it.alpn());
        out.int64OrAbsent("handshakeDoneMicros", it.handshakeDoneMicros());
    }

    private static TlsFacts readTls(JsonObjectReader in) throws MalformedBatchException {
        return new TlsFacts(
                in.textOrAbsent("version"),
                in.textOrAbsent("sni"),
                in.textOrAbsent("alpn"),
                in.int64OrAbsent("handshakeDoneMicros"));
    }
}
