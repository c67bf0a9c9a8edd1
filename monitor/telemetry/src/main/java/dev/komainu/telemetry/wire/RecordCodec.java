package dev.komainu.telemetry.wire;

import dev.komainu.telemetry.record.AccessLogWindow;
import dev.komainu.telemetry.record.ClusterView;
import dev.komainu.telemetry.record.ConnectionRecord;
import dev.komainu.telemetry.record.HostSample;
import dev.komainu.telemetry.record.OrderOutcome;
import dev.komainu.telemetry.record.ProxyExchange;
import dev.komainu.telemetry.record.ProxyWindow;
import dev.komainu.telemetry.record.ServiceSighting;
import dev.komainu.telemetry.record.ServiceWindow;
import dev.komainu.telemetry.record.SourceStatus;
import dev.komainu.telemetry.record.TelemetryRecord;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Optional;

/**
 * The codec of single records. A record is one protobuf message: a {@code oneof} of the ten kinds.
 * The store keeps records in this form, so it follows the same rule as the wire: numbers are never
 * reused, and an older reader skips unknown ones.
 */
public final class RecordCodec {

    private RecordCodec() {}

    /** Encodes a record as a {@code Record} message, not compressed. */
    public static byte[] encode(TelemetryRecord record) {
        FieldWriter out = new FieldWriter();
        try {
            write(record, out);
        } catch (IOException e) {
            throw new UncheckedIOException("a buffer in memory does not fail", e);
        }
        return out.take();
    }

    /**
     * Decodes the bytes of {@link #encode}.
     *
     * @return empty when this version does not know the record's kind or one of its enum constants
     * @throws MalformedBatchException when the bytes are no such message
     */
    public static Optional<TelemetryRecord> decode(byte[] bytes) throws MalformedBatchException {
        FieldReader in = new FieldReader(bytes);
        try {
            return read(in);
        } catch (EnumNumbers.UnknownConstant e) {
            return Optional.empty();
        } catch (IllegalArgumentException e) {
            throw in.malformed(e.getMessage());
        }
    }

    static void write(TelemetryRecord record, FieldWriter out) throws IOException {
        switch (record) {
            case ConnectionRecord connection -> out.message(1, connection, ConnectionFields::write);
            case ServiceWindow window -> out.message(2, window, ServiceFields::writeWindow);
            case HostSample sample -> out.message(3, sample, HostFields::write);
            case ServiceSighting sighting -> out.message(4, sighting, ServiceFields::writeSighting);
            case ProxyExchange exchange -> out.message(5, exchange, ProxyFields::writeExchange);
            case ProxyWindow proxyWindow -> out.message(6, proxyWindow, ProxyFields::writeWindow);
            case SourceStatus status -> out.message(7, status, SourceFields::write);
            case AccessLogWindow logWindow -> out.message(8, logWindow, LogFields::write);
            case OrderOutcome outcome -> out.message(9, outcome, OrderFields::write);
            case ClusterView view -> out.message(10, view, ClusterFields::write);
        }
    }

    static Optional<TelemetryRecord> read(FieldReader in) throws MalformedBatchException {
        TelemetryRecord record = null;
        while (in.next()) {
            switch (in.field()) {
                case 1 -> record = in.message("connection", ConnectionFields::read);
                case 2 -> record = in.message("serviceWindow", ServiceFields::readWindow);
                case 3 -> record = in.message("hostSample", HostFields::read);
                case 4 -> record = in.message("serviceSighting", ServiceFields::readSighting);
                case 5 -> record = in.message("proxyExchange", ProxyFields::readExchange);
                case 6 -> record = in.message("proxyWindow", ProxyFields::readWindow);
                case 7 -> record = in.message("sourceStatus", SourceFields::read);
                case 8 -> record = in.message("accessLogWindow", LogFields::read);
                case 9 -> record = in.message("orderOutcome", OrderFields::read);
                case 10 -> record = in.message("clusterView", ClusterFields::read);
                default -> in.skip();
            }
        }
        return Optional.ofNullable(record);
    }
}
