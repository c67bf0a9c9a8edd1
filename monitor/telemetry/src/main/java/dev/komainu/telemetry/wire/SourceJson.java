package dev.komainu.telemetry.wire;

import dev.komainu.telemetry.record.SourceStatus;
import dev.komainu.telemetry.record.SourceStatus.Drops;
import dev.komainu.telemetry.record.SourceStatus.Kind;
import dev.komainu.telemetry.record.SourceStatus.Trouble;
import java.util.Locale;

/** JSON of a source's status. */
final class SourceJson {

    private SourceJson() {}

    static void write(SourceStatus it, JsonObjectWriter out) {
        out.text("node", it.node());
        out.text("kind", it.kind().name().toLowerCase(Locale.ROOT));
        out.text("version", it.version());
        out.int64("startedMicros", it.startedMicros());
        out.int64("atMicros", it.atMicros());
        out.int64("residentBytes", it.residentBytes());
        out.number("cpuCores", it.cpuCores());
        out.texts("watching", it.watching());
        out.objects("drops", it.drops(), SourceJson::writeDrops);
        out.objects("troubles", it.troubles(), SourceJson::writeTrouble);
        out.text("orderKey", it.orderKey());
    }

    static SourceStatus read(JsonObjectReader in) throws MalformedBatchException {
        return new SourceStatus(
                in.text("node"),
                in.oneOf(
                        "kind",
                        label -> Kind.valueOf(label.toUpperCase(Locale.ROOT)),
                        "agent, proxy, organizer"),
                in.text("version"),
                in.int64("startedMicros"),
                in.int64("atMicros"),
                in.count("residentBytes"),
                in.number("cpuCores"),
                in.texts("watching"),
                in.objects("drops", SourceJson::readDrops),
                in.objects("troubles", SourceJson::readTrouble),
                in.textOrAbsent("orderKey"));
    }

    private static void writeDrops(Drops it, JsonObjectWriter out) {
        out.text("reason", it.reason());
        out.int64("count", it.count());
    }

    private static Drops readDrops(JsonObjectReader in) throws MalformedBatchException {
        return new Drops(in.text("reason"), in.int64("count"));
    }

    private static void writeTrouble(Trouble it, JsonObjectWriter out) {
        out.text("code", it.code());
        out.text("message", it.message());
        out.text("remedy", it.remedy());
    }

    private static Trouble readTrouble(JsonObjectReader in) throws MalformedBatchException {
        return new Trouble(in.text("code"), in.text("message"), in.textOrAbsent("remedy"));
    }
}
