package dev.komainu.telemetry.wire;

import dev.komainu.telemetry.record.SourceStatus;
import dev.komainu.telemetry.record.SourceStatus.Drops;
import dev.komainu.telemetry.record.SourceStatus.Kind;
import dev.komainu.telemetry.record.SourceStatus.Trouble;
import java.io.IOException;
import java.util.List;

/** Wire fields of a source's status. */
final class SourceFields {

    private SourceFields() {}

    static void write(SourceStatus it, FieldWriter out) throws IOException {
        out.text(1, it.node());
        out.int32(2, it.kind().ordinal() + 1);
        out.text(3, it.version());
        out.int64(4, it.startedMicros());
        out.int64(5, it.atMicros());
        out.int64(6, it.residentBytes());
        out.number(7, it.cpuCores());
        out.texts(8, it.watching());
        out.messages(9, it.drops(), SourceFields::writeDrops);
        out.messages(10, it.troubles(), SourceFields::writeTrouble);
        out.textOrAbsent(11, it.orderKey());
    }

    static SourceStatus read(FieldReader in) throws MalformedBatchException {
        String node = "";
        int kind = 0;
        String version = "";
        long started = 0;
        long at = 0;
        long resident = 0;
        double cores = 0;
        List<String> watching = FieldReader.list();
        List<Drops> drops = FieldReader.list();
        List<Trouble> troubles = FieldReader.list();
        String orderKey = null;
        while (in.next()) {
            switch (in.field()) {
                case 1 -> node = in.text();
                case 2 -> kind = in.int32();
                case 3 -> version = in.text();
                case 4 -> started = in.int64();
                case 5 -> at = in.int64();
                case 6 -> resident = in.int64();
                case 7 -> cores = in.number();
                case 8 -> in.texts(watching);
                case 9 -> in.messages("drops", drops, SourceFields::readDrops);
                case 10 -> in.messages("trouble", troubles, SourceFields::readTrouble);
                case 11 -> orderKey = in.text();
                default -> in.skip();
            }
        }
        return new SourceStatus(
                node,
                EnumNumbers.of(Kind.values(), kind),
                version,
                started,
                at,
                resident,
                cores,
                watching,
                drops,
                troubles,
                orderKey);
    }

    private static void writeDrops(Drops it, FieldWriter out) throws IOException {
        out.text(1, it.reason());
        out.int64(2, it.count());
    }

    private static Drops readDrops(FieldReader in) throws MalformedBatchException {
        String reason = "";
        long count = 0;
        while (in.next()) {
            switch (in.field()) {
                case 1 -> reason = in.text();
                case 2 -> count = in.int64();
                default -> in.skip();
            }
        }
        return new Drops(reason, count);
    }

    private static void writeTrouble(Trouble it, FieldWriter out) throws IOException {
        out.text(1, it.code());
        out.text(2, it.message());
        out.textOrAbsent(3, it.remedy());
    }

    private static Trouble readTrouble(FieldReader in) throws MalformedBatchException {
        String code = "";
        String message = "";
        String remedy = null;
        while (in.next()) {
            switch (in.field()) {
                case 1 -> code = in.text();
                case 2 -> message = in.text();
                case 3 -> remedy = in.text();
                default -> in.skip();
            }
        }
        return new Trouble(code, message, remedy);
    }
}
