package dev.komainu.telemetry.wire;

import dev.komainu.telemetry.record.DirectionTotals;
import dev.komainu.telemetry.record.Distribution;
import dev.komainu.telemetry.record.Endpoint;
import dev.komainu.telemetry.record.Failures;
import dev.komainu.telemetry.record.ServiceSighting;
import dev.komainu.telemetry.record.ServiceSighting.Setting;
import dev.komainu.telemetry.record.ServiceWindow;
import dev.komainu.telemetry.record.ServiceWindow.RoundTrips;
import dev.komainu.telemetry.record.TimesGrid;
import java.io.IOException;
import java.util.List;

/** Wire fields of a service's windows and sightings. */
final class ServiceFields {

    private ServiceFields() {}

    static void writeWindow(ServiceWindow it, FieldWriter out) throws IOException {
        out.text(1, it.service());
        out.int64(2, it.fromMicros());
        out.int64(3, it.lengthMicros());
        out.int64(4, it.arrivals());
        out.int64(5, it.ended());
        out.int64(6, it.refused());
        out.int64(7, it.noAnswer());
        out.int64(8, it.resetsByClient());
        out.int64(9, it.resetsByServer());
        out.int64(10, it.requests());
        out.int64(11, it.responses());
        out.int64(12, it.errors());
        out.number(13, it.concurrentMean());
        out.int64(14, it.concurrentMax());
        out.number(15, it.processingMean());
        out.message(16, it.up(), ConnectionFields::writeTotals);
        out.message(17, it.down(), ConnectionFields::writeTotals);
        out.int64(18, it.synRepeats());
        out.int64(19, it.capturedPackets());
        out.int64(20, it.droppedPackets());
        out.int64(21, it.unseenSegments());
        out.distribution(22, it.response());
        out.distribution(23, it.transfer());
        out.distribution(24, it.connection());
        out.int64(25, it.timeouts());
        out.message(26, it.roundTrips(), ServiceFields::writeRoundTrips);
        out.messages(27, it.responseByTransfer().cells(), ServiceFields::writeCell);
        out.messageOrAbsent(28, it.failures(), ServiceFields::writeFailures);
    }

    private static void writeFailures(Failures it, FieldWriter out) throws IOException {
        out.int64(1, it.resetUnanswered());
        out.int64(2, it.closedUnanswered());
        out.int64(3, it.deliberateUnavailable());
        out.int64(4, it.lostPages());
        out.int64(5, it.handshakes());
        out.int64(6, it.failedHandshakes());
    }

    private static Failures readFailures(FieldReader in) throws MalformedBatchException {
        long resetUnanswered = 0;
        long closedUnanswered = 0;
        long deliberateUnavailable = 0;
        long lostPages = 0;
        long handshakes = 0;
        long failedHandshakes = 0;
        while (in.next()) {
            switch (in.field()) {
                case 1 -> resetUnanswered = in.int64();
                case 2 -> closedUnanswered = in.int64();
                case 3 -> deliberateUnavailable = in.int64();
                case 4 -> lostPages = in.int64();
                case 5 -> handshakes = in.int64();
                case 6 -> failedHandshakes = in.int64();
                default -> in.skip();
            }
        }
        return new Failures(
                resetUnanswered,
                closedUnanswered,
                deliberateUnavailable,
                lostPages,
                handshakes,
                failedHandshakes);
    }

    private static void writeRoundTrips(RoundTrips it, FieldWriter out) throws IOException {
        out.distribution(1, it.server());
        out.distribution(2, it.client());
        out.distribution(3, it.acknowledgement());
        out.distribution(4, it.think());
    }

    private static RoundTrips readRoundTrips(FieldReader in) throws MalformedBatchException {
        Distribution server = Distribution.empty();
        Distribution client = Distribution.empty();
        Distribution acknowledgement = Distribution.empty();
        Distribution think = Distribution.empty();
        while (in.next()) {
            switch (in.field()) {
                case 1 -> server = in.distribution();
                case 2 -> client = in.distribution();
                case 3 -> acknowledgement = in.distribution();
                case 4 -> think = in.distribution();
                default -> in.skip();
            }
        }
        return new RoundTrips(server, client, acknowledgement, think);
    }

    private static void writeCell(TimesGrid.Cell it, FieldWriter out) throws IOException {
        out.int32(1, it.responseStep());
        out.int32(2, it.transferStep());
        out.int64(3, it.count());
    }

    private static TimesGrid.Cell readCell(FieldReader in) throws MalformedBatchException {
        int response = 0;
        int transfer = 0;
        long count = 0;
        while (in.next()) {
            switch (in.field()) {
                case 1 -> response = in.int32();
                case 2 -> transfer = in.int32();
                case 3 -> count = in.int64();
                default -> in.skip();
            }
        }
        return new TimesGrid.Cell(response, transfer, count);
    }

    static ServiceWindow readWindow(FieldReader in) throws MalformedBatchException {
        String service = "";
        long from = 0;
        long length = 0;
        long arrivals = 0;
        long ended = 0;
        long refused = 0;
        long noAnswer = 0;
        long resetsByClient = 0;
        long resetsByServer = 0;
        long requests = 0;
        long responses = 0;
        long errors = 0;
        double concurrentMean = 0;
        long concurrentMax = 0;
        double processingMean = 0;
        DirectionTotals up = DirectionTotals.NONE;
        DirectionTotals down = DirectionTotals.NONE;
        long synRepeats = 0;
        long captured = 0;
        long dropped = 0;
        long unseen = 0;
        Distribution response = Distribution.empty();
        Distribution transfer = Distribution.empty();
        Distribution connection = Distribution.empty();
        long timeouts = 0;
        RoundTrips roundTrips = RoundTrips.NONE;
        List<TimesGrid.Cell> cells = FieldReader.list();
        Failures failures = null;
        while (in.next()) {
            switch (in.field()) {
                case 1 -> service = in.text();
                case 2 -> from = in.int64();
                case 3 -> length = in.int64();
                case 4 -> arrivals = in.int64();
                case 5 -> ended = in.int64();
                case 6 -> refused = in.int64();
                case 7 -> noAnswer = in.int64();
                case 8 -> resetsByClient = in.int64();
                case 9 -> resetsByServer = in.int64();
                case 10 -> requests = in.int64();
                case 11 -> responses = in.int64();
                case 12 -> errors = in.int64();
                case 13 -> concurrentMean = in.number();
                case 14 -> concurrentMax = in.int64();
                case 15 -> processingMean = in.number();
                case 16 -> up = in.message("up", ConnectionFields::readTotals);
                case 17 -> down = in.message("down", ConnectionFields::readTotals);
                case 18 -> synRepeats = in.int64();
                case 19 -> captured = in.int64();
                case 20 -> dropped = in.int64();
                case 21 -> unseen = in.int64();
                case 22 -> response = in.distribution();
                case 23 -> transfer = in.distribution();
                case 24 -> connection = in.distribution();
                case 25 -> timeouts = in.int64();
                case 26 -> roundTrips = in.message("roundTrips", ServiceFields::readRoundTrips);
                case 27 -> in.messages("cell", cells, ServiceFields::readCell);
                case 28 -> failures = in.message("failures", ServiceFields::readFailures);
                default -> in.skip();
            }
        }
        return new ServiceWindow(
                service,
                from,
                length,
                arrivals,
                ended,
                refused,
                noAnswer,
                resetsByClient,
                resetsByServer,
                requests,
                responses,
                errors,
                concurrentMean,
                concurrentMax,
                processingMean,
                up,
                down,
                synRepeats,
                captured,
                dropped,
                unseen,
                response,
                transfer,
                connection,
                timeouts,
                roundTrips,
                new TimesGrid(cells),
                failures);
    }

    static void writeSighting(ServiceSighting it, FieldWriter out) throws IOException {
        out.text(1, it.service());
        out.textOrAbsent(2, it.node());
        out.text(3, it.name());
        out.text(4, it.kind());
        out.textOrAbsent(5, it.version());
        out.messages(6, it.addresses(), FieldWriter::writeEndpoint);
        out.int64OrAbsent(7, it.processId());
        out.textOrAbsent(8, it.program());
        out.messages(9, it.settings(), ServiceFields::writeSetting);
        out.int64(10, it.atMicros());
        out.textOrAbsent(11, it.originSideOf());
    }

    static ServiceSighting readSighting(FieldReader in) throws MalformedBatchException {
        String service = "";
        String node = null;
        String name = "";
        String kind = "";
        String version = null;
        List<Endpoint> addresses = FieldReader.list();
        Long processId = null;
        String program = null;
        List<Setting> settings = FieldReader.list();
        long at = 0;
        String originSideOf = null;
        while (in.next()) {
            switch (in.field()) {
                case 1 -> service = in.text();
                case 2 -> node = in.text();
                case 3 -> name = in.text();
                case 4 -> kind = in.text();
                case 5 -> version = in.text();
                case 6 -> in.messages("address", addresses, FieldReader::readEndpoint);
                case 7 -> processId = in.int64();
                case 8 -> program = in.text();
                case 9 -> in.messages("setting", settings, ServiceFields::readSetting);
                case 10 -> at = in.int64();
                case 11 -> originSideOf = in.text();
                default -> in.skip();
            }
        }
        return new ServiceSighting(
                service,
                node,
                name,
                kind,
                version,
                addresses,
                processId,
                program,
                settings,
                at,
                originSideOf);
    }

    private static void writeSetting(Setting it, FieldWriter out) throws IOException {
        out.text(1, it.name());
        out.text(2, it.value());
        out.text(3, it.source());
    }

    private static Setting readSetting(FieldReader in) throws MalformedBatchException {
        String name = "";
        String value = "";
        String source = "";
        while (in.next()) {
            switch (in.field()) {
                case 1 -> name = in.text();
                case 2 -> value = in.text();
                case 3 -> source = in.text();
                default -> in.skip();
            }
        }
        return new Setting(name, value, source);
    }
}
