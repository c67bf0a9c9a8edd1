package dev.komainu.agent.connection;

import dev.komainu.agent.connection.exchange.OpenExchanges;
import dev.komainu.agent.connection.exchange.PrivacyRules;
import dev.komainu.agent.connection.tcp.ConnectionListener;
import dev.komainu.agent.connection.tcp.ConnectionRow;
import dev.komainu.telemetry.record.ConnectionRecord;
import dev.komainu.telemetry.record.ConnectionState;
import dev.komainu.telemetry.record.DirectionTotals;
import dev.komainu.telemetry.record.Handshake;
import dev.komainu.telemetry.record.HttpExchange;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Converter from a connection's row to the record that outlives the row. */
final class ConnectionRecordBuilder {

    private final ServiceNumbers services;
    private final OpenExchanges exchanges;
    private final ProtocolDispatcher dialogue;
    private final PrivacyRules privacy;

    ConnectionRecordBuilder(
            ServiceNumbers services,
            OpenExchanges exchanges,
            ProtocolDispatcher dialogue,
            PrivacyRules privacy) {
        this.privacy = privacy;
        this.services = services;
        this.exchanges = exchanges;
        this.dialogue = dialogue;
    }

    /**
     * Returns the connection's record. Takes the exchanges and TLS facts out of their slabs: to be
     * called once per row.
     */
    ConnectionRecord write(ConnectionRow row) {
        long start = row.longAt(ConnectionRow.START);
        long end = row.longAt(ConnectionRow.LAST);
        long transferStart = row.longAt(ConnectionRow.RESPONSE_START);
        List<HttpExchange> list = exchanges.drain(row);
        return new ConnectionRecord(
                services.name(row.service()),
                privacy.client(
                        row.longAt(ConnectionRow.CLIENT),
                        row.longAt(ConnectionRow.CLIENT + 8),
                        row.ushortAt(ConnectionRow.CLIENT_PORT)),
                PrivacyRules.endpoint(
                        row.longAt(ConnectionRow.SERVER),
                        row.longAt(ConnectionRow.SERVER + 8),
                        row.ushortAt(ConnectionRow.SERVER_PORT)),
                new ConnectionRecord.Times(
                        start,
                        end,
                        end - start,
                        transferStart == 0
                                ? null
                                : (Long) Math.max(
                                        0, row.longAt(ConnectionRow.TRANSFER_END) - transferStart)),
                state(row),
                handshake(row, start),
                totals(row, ConnectionRow.UP),
                totals(row, ConnectionRow.DOWN),
                list,
                row.intAt(ConnectionRow.EXCHANGES_LEFT_OUT),
                dialogue.drainTls(row));
    }

    /** Returns the connection's current state, as {@link ConnectionState} defines it. */
    static ConnectionState state(ConnectionRow row) {
        if (!row.is(ConnectionRow.SAW_SYN)) {
            return ConnectionState.MIDSTREAM;
        }
        boolean established = row.is(ConnectionRow.HANDSHAKE_DONE | ConnectionRow.CARRIED_DATA);
        boolean bothFins = row.is(ConnectionRow.FIN_UP) && row.is(ConnectionRow.FIN_DOWN);
        if (row.is(ConnectionRow.RST_UP | ConnectionRow.RST_DOWN) && !bothFins) {
            boolean server = row.is(ConnectionRow.RST_DOWN);
            if (established) {
                return server ? ConnectionState.RST_SERVER : ConnectionState.RST_CLIENT;
            }
            if (!row.is(ConnectionRow.SAW_SYN_ACK)) {
                return server ? ConnectionState.REFUSED : ConnectionState.NO_ANSWER;
            }
            return ConnectionState.HALF_OPEN;
        }
        if (bothFins) {
            return ConnectionState.NORMAL;
        }
        if (!established) {
            return row.is(ConnectionRow.SAW_SYN_ACK)
                    ? ConnectionState.HALF_OPEN
                    : ConnectionState.NO_ANSWER;
        }
        return row.is(ConnectionRow.FIN_UP | ConnectionRow.FIN_DOWN)
                ? ConnectionState.HALF_CLOSED
                : ConnectionState.OPEN;
    }

    private static Handshake handshake(ConnectionRow row, long start) {
        if (!row.is(ConnectionRow.SAW_SYN)) {
            return row.is(ConnectionRow.SAW_SYN_ACK)
                    ? new Handshake(
                            null,
                            start + row.intAt(ConnectionRow.SYN_ACK),
                            null,
                            0,
                            null,
                            present(row.clientRttMicros()))
                    : Handshake.UNSEEN;
        }
        boolean answered = row.is(ConnectionRow.SAW_SYN_ACK);
        boolean shook = answered && row.is(ConnectionRow.HANDSHAKE_DONE);
        return new Handshake(
                start,
                present(answered, start + row.intAt(ConnectionRow.SYN_ACK)),
                present(shook, row.intAt(ConnectionRow.HANDSHAKE)),
                row.ushortAt(ConnectionRow.SYNS),
                present(row.serverRttMicros()),
                present(row.clientRttMicros()));
    }

    private static @Nullable Long present(long micros) {
        return present(micros != ConnectionListener.ABSENT, micros);
    }

    private static @Nullable Long present(boolean present, long value) {
        return present ? (Long) value : null;
    }

    private static DirectionTotals totals(ConnectionRow row, int side) {
        return new DirectionTotals(
                Integer.toUnsignedLong(row.intAt(side + ConnectionRow.PACKETS)),
                row.longAt(side + ConnectionRow.WIRE_BYTES),
                row.longAt(side + ConnectionRow.PAYLOAD_BYTES),
                row.longAt(side + ConnectionRow.UNIQUE_BYTES),
                Integer.toUnsignedLong(row.intAt(side + ConnectionRow.RETRANSMISSIONS)),
                Integer.toUnsignedLong(row.intAt(side + ConnectionRow.OUT_OF_ORDER)),
                Integer.toUnsignedLong(row.intAt(side + ConnectionRow.ZERO_WINDOWS)));
    }
}
