package dev.komainu.telemetry.wire;

import dev.komainu.telemetry.record.Endpoint;
import dev.komainu.telemetry.record.Failures;
import dev.komainu.telemetry.record.ServiceSighting;
import dev.komainu.telemetry.record.ServiceSighting.Setting;
import dev.komainu.telemetry.record.ServiceWindow;
import dev.komainu.telemetry.record.ServiceWindow.RoundTrips;
import dev.komainu.telemetry.record.TimesGrid;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** JSON of a service's windows ({@code analyze --windows} prints them too) and sightings. */
final class ServiceJson {

    private static final List<String> FAILURES = List.of(
            "resetUnanswered",
            "closedUnanswered",
            "deliberateUnavailable",
            "lostPages",
            "handshakes",
            "failedHandshakes");

    private ServiceJson() {}

    static void writeWindow(ServiceWindow it, JsonObjectWriter out) {
        out.text("service", it.service());
        out.int64("fromMicros", it.fromMicros());
        out.int64("lengthMicros", it.lengthMicros());
        out.int64("arrivals", it.arrivals());
        out.int64("ended", it.ended());
        out.int64("refused", it.refused());
        out.int64("noAnswer", it.noAnswer());
        out.int64("resetsByClient", it.resetsByClient());
        out.int64("resetsByServer", it.resetsByServer());
        out.int64("requests", it.requests());
        out.int64("responses", it.responses());
        out.int64("errors", it.errors());
        out.number("concurrentMean", it.concurrentMean());
        out.int64("concurrentMax", it.concurrentMax());
        out.number("processingMean", it.processingMean());
        // Sum of both directions, for readers of windows only; not read back.
        out.int64("payloadBytes", it.up().payloadBytes() + it.down().payloadBytes());
        ConnectionJson.writeTotals(it.up(), it.down(), out);
        out.int64("synRepeats", it.synRepeats());
        out.int64("capturedPackets", it.capturedPackets());
        out.int64("droppedPackets", it.droppedPackets());
        out.int64("unseenSegments", it.unseenSegments());
        out.distribution("response", it.response());
        out.distribution("transfer", it.transfer());
        out.distribution("connection", it.connection());
        out.int64("timeouts", it.timeouts());
        RoundTrips split = it.roundTrips();
        out.distribution("serverRtt", split.server());
        out.distribution("clientRtt", split.client());
        out.distribution("acknowledgement", split.acknowledgement());
        out.distribution("think", split.think());
        out.objects("responseByTransfer", it.responseByTransfer().cells(), ServiceJson::writeCell);
        writeFailures(it.failures(), out);
    }

    private static void writeFailures(@Nullable Failures it, JsonObjectWriter out) {
        if (it != null) {
            out.int64("resetUnanswered", it.resetUnanswered());
            out.int64("closedUnanswered", it.closedUnanswered());
            out.int64("deliberateUnavailable", it.deliberateUnavailable());
            out.int64("lostPages", it.lostPages());
            out.int64("handshakes", it.handshakes());
            out.int64("failedHandshakes", it.failedHandshakes());
        }
    }

    /** Reads the failures. A line without them comes from a source that does not count them. */
    private static @Nullable Failures readFailures(JsonObjectReader in)
            throws MalformedBatchException {
        return FAILURES.stream().noneMatch(in::has)
                ? null
                : new Failures(
                        in.count("resetUnanswered"),
                        in.count("closedUnanswered"),
                        in.count("deliberateUnavailable"),
                        in.count("lostPages"),
                        in.count("handshakes"),
                        in.count("failedHandshakes"));
    }

    private static void writeCell(TimesGrid.Cell it, JsonObjectWriter out) {
        out.int64("responseStep", it.responseStep());
        out.int64("transferStep", it.transferStep());
        out.int64("count", it.count());
    }

    private static TimesGrid.Cell readCell(JsonObjectReader in) throws MalformedBatchException {
        int last = TimesGrid.STEPS - 1;
        return new TimesGrid.Cell(
                in.count32("responseStep", last),
                in.count32("transferStep", last),
                in.count("count"));
    }

    static ServiceWindow readWindow(JsonObjectReader in) throws MalformedBatchException {
        return new ServiceWindow(
                in.text("service"),
                in.int64("fromMicros"),
                in.int64("lengthMicros"),
                in.count("arrivals"),
                in.count("ended"),
                in.count("refused"),
                in.count("noAnswer"),
                in.count("resetsByClient"),
                in.count("resetsByServer"),
                in.count("requests"),
                in.count("responses"),
                in.count("errors"),
                in.number("concurrentMean"),
                in.count("concurrentMax"),
                in.number("processingMean"),
                ConnectionJson.readTotals(in, "Up"),
                ConnectionJson.readTotals(in, "Down"),
                in.count("synRepeats"),
                in.count("capturedPackets"),
                in.count("droppedPackets"),
                in.count("unseenSegments"),
                in.distribution("response"),
                in.distribution("transfer"),
                in.distribution("connection"),
                in.count("timeouts"),
                new RoundTrips(
                        in.distribution("serverRtt"),
                        in.distribution("clientRtt"),
                        in.distribution("acknowledgement"),
                        in.distribution("think")),
                new TimesGrid(in.objects("responseByTransfer", ServiceJson::readCell)),
                readFailures(in));
    }

    static void writeSighting(ServiceSighting it, JsonObjectWriter out) {
        out.text("service", it.service());
        out.text("node", it.node());
        out.text("name", it.name());
        out.text("kind", it.kind());
        out.text("version", it.version());
        out.texts("addresses", it.addresses().stream().map(Endpoint::toString).toList());
        out.int64OrAbsent("processId", it.processId());
        out.text("program", it.program());
        out.objects("settings", it.settings(), ServiceJson::writeSetting);
        out.int64("atMicros", it.atMicros());
        out.text("originSideOf", it.originSideOf());
    }

    static ServiceSighting readSighting(JsonObjectReader in) throws MalformedBatchException {
        return new ServiceSighting(
                in.text("service"),
                in.textOrAbsent("node"),
                in.text("name"),
                in.text("kind"),
                in.textOrAbsent("version"),
                in.endpoints("addresses"),
                in.int64OrAbsent("processId"),
                in.textOrAbsent("program"),
                in.objects("settings", ServiceJson::readSetting),
                in.int64("atMicros"),
                in.textOrAbsent("originSideOf"));
    }

    private static void writeSetting(Setting it, JsonObjectWriter out) {
        out.text("name", it.name());
        out.text("value", it.value());
        out.text("source", it.source());
    }

    private static Setting readSetting(JsonObjectReader in) throws MalformedBatchException {
        return new Setting(in.text("name"), in.text("value"), in.text("source"));
    }
}
