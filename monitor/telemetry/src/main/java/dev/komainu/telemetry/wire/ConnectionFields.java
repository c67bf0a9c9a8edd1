package dev.komainu.telemetry.wire;

import dev.komainu.telemetry.record.ConnectionRecord;
import dev.komainu.telemetry.record.ConnectionState;
import dev.komainu.telemetry.record.DirectionTotals;
import dev.komainu.telemetry.record.Endpoint;
import dev.komainu.telemetry.record.Handshake;
import dev.komainu.telemetry.record.HttpExchange;
import dev.komainu.telemetry.record.TlsFacts;
import java.io.IOException;
import java.util.List;

/**
 * Wire fields of a connection and its parts. Numbers never change: see
 * {@code docs/formats/telemetry-wire.md}.
 */
final class ConnectionFields {

    private ConnectionFields() {}

    static void write(ConnectionRecord it, FieldWriter out) throws IOException {
        out.textOrAbsent(1, it.service());
        out.endpoint(2, it.client());
        out.endpoint(3, it.server());
        out.int64(4, it.startMicros());
        out.int64(5, it.endMicros());
        out.int64(6, it.durationMicros());
        // The enum's zero stays free for "unspecified", as proto3 requires.
        out.int32(7, it.state().ordinal() + 1);
        out.message(8, it.handshake(), ConnectionFields::writeHandshake);
        out.message(9, it.up(), ConnectionFields::writeTotals);
        out.message(10, it.down(), ConnectionFields::writeTotals);
        out.int64OrAbsent(11, it.transferMicros());
        out.messages(12, it.exchanges(), ConnectionFields::writeExchange);
        out.int32(13, it.exchangesLeftOut());
        out.messageOrAbsent(14, it.tls(), ConnectionFields::writeTls);
    }

    static ConnectionRecord read(FieldReader in) throws MalformedBatchException {
        String service = null;
        Endpoint client = null;
        Endpoint server = null;
        long start = 0;
        long end = 0;
        long duration = 0;
        int state = 0;
        Handshake handshake = Handshake.UNSEEN;
        DirectionTotals up = DirectionTotals.NONE;
        DirectionTotals down = DirectionTotals.NONE;
        Long transfer = null;
        List<HttpExchange> exchanges = FieldReader.list();
        int leftOut = 0;
        TlsFacts tls = null;
        while (in.next()) {
            switch (in.field()) {
                case 1 -> service = in.text();
                case 2 -> client = in.endpoint();
                case 3 -> server = in.endpoint();
                case 4 -> start = in.int64();
                case 5 -> end = in.int64();
                case 6 -> duration = in.int64();
                case 7 -> state = in.int32();
                case 8 -> handshake = in.message("handshake", ConnectionFields::readHandshake);
                case 9 -> up = in.message("up", ConnectionFields::readTotals);
                case 10 -> down = in.message("down", ConnectionFields::readTotals);
                case 11 -> transfer = in.int64();
                case 12 -> in.messages("exchange", exchanges, ConnectionFields::readExchange);
                case 13 -> leftOut = in.int32();
                case 14 -> tls = in.message("tls", ConnectionFields::readTls);
                default -> in.skip();
            }
        }
        return new ConnectionRecord(
                service,
                in.require(client, "client"),
                in.require(server, "server"),
                start,
                end,
                duration,
                EnumNumbers.of(ConnectionState.values(), state),
                handshake,
                up,
                down,
                transfer,
                exchanges,
                leftOut,
                tls);
    }

    private static void writeHandshake(Handshake it, FieldWriter out) throws IOException {
        out.int64OrAbsent(1, it.synMicros());
        out.int64OrAbsent(2, it.synAckMicros());
        out.int64OrAbsent(3, it.handshakeMicros());
        out.int32(4, it.synCount());
        out.int64OrAbsent(5, it.serverRttMicros());
        out.int64OrAbsent(6, it.clientRttMicros());
    }

    private static Handshake readHandshake(FieldReader in) throws MalformedBatchException {
        Long syn = null;
        Long synAck = null;
        Long took = null;
        int count = 0;
        Long serverRtt = null;
        Long clientRtt = null;
        while (in.next()) {
            switch (in.field()) {
                case 1 -> syn = in.int64();
                case 2 -> synAck = in.int64();
                case 3 -> took = in.int64();
                case 4 -> count = in.int32();
                case 5 -> serverRtt = in.int64();
                case 6 -> clientRtt = in.int64();
                default -> in.skip();
            }
        }
        return new Handshake(syn, synAck, took, count, serverRtt, clientRtt);
    }

    static void writeTotals(DirectionTotals it, FieldWriter out) throws IOException {
        out.int64(1, it.packets());
        out.int64(2, it.wireBytes());
        out.int64(3, it.payloadBytes());
        out.int64(4, it.uniqueBytes());
        out.int64(5, it.retransmissions());
        out.int64(6, it.outOfOrder());
        out.int64(7, it.zeroWindow());
    }

    static DirectionTotals readTotals(FieldReader in) throws MalformedBatchException {
        long packets = 0;
        long wire = 0;
        long payload = 0;
        long unique = 0;
        long retransmissions = 0;
        long outOfOrder = 0;
        long zeroWindow = 0;
        while (in.next()) {
            switch (in.field()) {
                case 1 -> packets = in.int64();
                case 2 -> wire = in.int64();
                case 3 -> payload = in.int64();
                case 4 -> unique = in.int64();
                case 5 -> retransmissions = in.int64();
                case 6 -> outOfOrder = in.int64();
                case 7 -> zeroWindow = in.int64();
                default -> in.skip();
            }
        }
        return new DirectionTotals(
                packets, wire, payload, unique, retransmissions, outOfOrder, zeroWindow);
    }

    private static void writeExchange(HttpExchange it, FieldWriter out) throws IOException {
        out.textOrAbsent(1, it.method());
        out.textOrAbsent(2, it.target());
        out.int32OrAbsent(3, it.status());
        out.int64(4, it.requestMicros());
        out.int64OrAbsent(5, it.firstByteMicros());
        out.int64OrAbsent(6, it.lastByteMicros());
        out.int64OrAbsent(7, it.responseMicros());
        out.int64OrAbsent(8, it.transferMicros());
        out.int64OrAbsent(9, it.acknowledgementMicros());
        out.int64OrAbsent(10, it.thinkMicros());
    }

    private static HttpExchange readExchange(FieldReader in) throws MalformedBatchException {
        String method = null;
        String target = null;
        Integer status = null;
        long request = 0;
        Long firstByte = null;
        Long lastByte = null;
        Long response = null;
        Long transfer = null;
        Long acknowledgement = null;
        Long think = null;
        while (in.next()) {
            switch (in.field()) {
                case 1 -> method = in.text();
                case 2 -> target = in.text();
                case 3 -> status = in.int32();
                case 4 -> request = in.int64();
                case 5 -> firstByte = in.int64();
                case 6 -> lastByte = in.int64();
                case 7 -> response = in.int64();
                case 8 -> transfer = in.int64();
                case 9 -> acknowledgement = in.int64();
                case 10 -> think = in.int64();
                default -> in.skip();
            }
        }
        return new HttpExchange(
                method,
                target,
                status,
                request,
                firstByte,
                lastByte,
                response,
                transfer,
                acknowledgement,
                think);
    }

    private static void writeTls(TlsFacts it, FieldWriter out) throws IOException {
        out.textOrAbsent(1, it.version());
        out.textOrAbsent(2, it.sni());
        out.textOrAbsent(3, it.alpn());
        out.int64OrAbsent(4, it.handshakeDoneMicros());
    }

    private static TlsFacts readTls(FieldReader in) throws MalformedBatchException {
        String version = null;
        String sni = null;
        String alpn = null;
        Long done = null;
        while (in.next()) {
            switch (in.field()) {
                case 1 -> version = in.text();
                case 2 -> sni = in.text();
                case 3 -> alpn = in.text();
                case 4 -> done = in.int64();
                default -> in.skip();
            }
        }
        return new TlsFacts(version, sni, alpn, done);
    }
}
