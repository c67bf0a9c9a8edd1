package dev.komainu.agent.connection;

import dev.komainu.agent.connection.exchange.Exchanges;
import dev.komainu.agent.connection.exchange.Privacy;
import dev.komainu.agent.connection.tcp.ConnectionListener;
import dev.komainu.agent.connection.tcp.Row;
import dev.komainu.telemetry.record.ConnectionRecord;
import dev.komainu.telemetry.record.ConnectionState;
import dev.komainu.telemetry.record.DirectionTotals;
import dev.komainu.telemetry.record.Handshake;
import dev.komainu.telemetry.record.HttpExchange;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Turns a connection's row into the record that outlives it. */
final class RecordWriter {

    private final Services services;
    private final Exchanges exchanges;
    private final Dialogue dialogue;
    private final Privacy privacy;

    RecordWriter(Services services, Exchanges exchanges, Dialogue dialogue, Privacy privacy) {
        this.privacy = privacy;
        this.services = services;
        this.exchanges = exchanges;
        this.dialogue = dialogue;
    }

    /** Takes the exchanges and TLS facts out of their slabs: to be called once for a row. */
    ConnectionRecord write(Row row) {
        long start = row.longAt(Row.START);
        long end = row.longAt(Row.LAST);
        long transferStart = row.longAt(Row.RESPONSE_START);
        List<HttpExchange> list = exchanges.drain(row);
        return new ConnectionRecord(
                services.name(row.service()),
                privacy.client(row.longAt(Row.CLIENT), row.longAt(Row.CLIENT + 8), row.ushortAt(Row.CLIENT_PORT)),
                Privacy.endpoint(row.longAt(Row.SERVER), row.longAt(Row.SERVER + 8), row.ushortAt(Row.SERVER_PORT)),
                start,
                end,
                end - start,
                state(row),
                handshake(row, start),
                totals(row, Row.UP),
                totals(row, Row.DOWN),
                transferStart == 0 ? null : (Long) Math.max(0, row.longAt(Row.TRANSFER_END) - transferStart),
                list,
                row.intAt(Row.EXCHANGES_LEFT_OUT),
                dialogue.drainTls(row));
    }

    /** How the connection stands now, as {@link ConnectionState} defines it. */
    static ConnectionState state(Row row) {
        if (!row.is(Row.SAW_SYN)) {
            return ConnectionState.MIDSTREAM;
        }
        boolean established = row.is(Row.SHOOK_HANDS | Row.CARRIED_DATA);
        boolean bothFins = row.is(Row.FIN_UP) && row.is(Row.FIN_DOWN);
        if (row.is(Row.RST_UP | Row.RST_DOWN) && !bothFins) {
            boolean server = row.is(Row.RST_DOWN);
            if (established) {
                return server ? ConnectionState.RST_SERVER : ConnectionState.RST_CLIENT;
            }
            if (!row.is(Row.SAW_SYN_ACK)) {
                return server ? ConnectionState.REFUSED : ConnectionState.NO_ANSWER;
            }
            return ConnectionState.HALF_OPEN;
        }
        if (bothFins) {
            return ConnectionState.NORMAL;
        }
        if (!established) {
            return row.is(Row.SAW_SYN_ACK) ? ConnectionState.HALF_OPEN : ConnectionState.NO_ANSWER;
        }
        return row.is(Row.FIN_UP | Row.FIN_DOWN) ? ConnectionState.HALF_CLOSED : ConnectionState.OPEN;
    }

    private static Handshake handshake(Row row, long start) {
        if (!row.is(Row.SAW_SYN)) {
            return row.is(Row.SAW_SYN_ACK)
                    ? new Handshake(null, start + row.intAt(Row.SYN_ACK), null, 0, null, present(row.clientRttMicros()))
                    : Handshake.UNSEEN;
        }
        boolean answered = row.is(Row.SAW_SYN_ACK);
        boolean shook = answered && row.is(Row.SHOOK_HANDS);
        return new Handshake(
                start,
                present(answered, start + row.intAt(Row.SYN_ACK)),
                present(shook, row.intAt(Row.HANDSHAKE)),
                row.ushortAt(Row.SYNS),
                present(row.serverRttMicros()),
                present(row.clientRttMicros()));
    }

    private static @Nullable Long present(long micros) {
        return present(micros != ConnectionListener.ABSENT, micros);
    }

    private static @Nullable Long present(boolean present, long value) {
        return present ? (Long) value : null;
    }

    private static DirectionTotals totals(Row row, int side) {
        return new DirectionTotals(
                Integer.toUnsignedLong(row.intAt(side + Row.PACKETS)),
                row.longAt(side + Row.WIRE_BYTES),
                row.longAt(side + Row.PAYLOAD_BYTES),
                row.longAt(side + Row.UNIQUE_BYTES),
                Integer.toUnsignedLong(row.intAt(side + Row.RETRANSMISSIONS)),
                Integer.toUnsignedLong(row.intAt(side + Row.OUT_OF_ORDER)),
                Integer.toUnsignedLong(row.intAt(side + Row.ZERO_WINDOWS)));
    }
}
