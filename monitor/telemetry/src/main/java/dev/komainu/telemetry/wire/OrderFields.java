package dev.komainu.telemetry.wire;

import dev.komainu.telemetry.record.Order;
import dev.komainu.telemetry.record.OrderOutcome;
import java.io.IOException;

/** Wire fields of orders and their outcomes. */
final class OrderFields {

    private OrderFields() {}

    static void write(OrderOutcome it, FieldWriter out) throws IOException {
        out.text(1, it.order());
        out.text(2, it.node());
        out.text(3, it.service());
        out.int32(4, it.state().ordinal() + 1);
        out.text(5, it.reason());
        out.text(6, it.detail());
        out.textOrAbsent(7, it.file());
        out.textOrAbsent(8, it.before());
        out.textOrAbsent(9, it.after());
        out.int32(10, it.restored() ? 1 : 0);
        out.int64(11, it.begunMicros());
        out.int64(12, it.atMicros());
    }

    static OrderOutcome read(FieldReader in) throws MalformedBatchException {
        String order = "";
        String node = "";
        String service = "";
        int state = 0;
        String reason = "";
        String detail = "";
        String file = null;
        String before = null;
        String after = null;
        boolean restored = false;
        long begun = 0;
        long at = 0;
        while (in.next()) {
            switch (in.field()) {
                case 1 -> order = in.text();
                case 2 -> node = in.text();
                case 3 -> service = in.text();
                case 4 -> state = in.int32();
                case 5 -> reason = in.text();
                case 6 -> detail = in.text();
                case 7 -> file = in.text();
                case 8 -> before = in.text();
                case 9 -> after = in.text();
                case 10 -> restored = in.int32() != 0;
                case 11 -> begun = in.int64();
                case 12 -> at = in.int64();
                default -> in.skip();
            }
        }
        return new OrderOutcome(
                order,
                node,
                service,
                EnumNumbers.of(OrderOutcome.State.values(), state),
                reason,
                detail,
                file,
                before,
                after,
                restored,
                begun,
                at);
    }

    static void writeOrder(Order it, FieldWriter out) throws IOException {
        out.text(1, it.id());
        out.text(2, it.node());
        out.text(3, it.service());
        out.int64(4, it.issuedMicros());
        out.int64(5, it.expiresMicros());
        out.text(6, it.setting());
        out.text(7, it.expected());
        out.textOrAbsent(8, it.wanted());
        out.int32(9, it.then().ordinal() + 1);
        out.textOrAbsent(10, it.restores());
    }

    /**
     * Reads an order. An unknown field may change its meaning and must not be ignored, so such an
     * order is malformed.
     */
    static Order readOrder(FieldReader in) throws MalformedBatchException {
        String id = "";
        String node = "";
        String service = "";
        long issued = 0;
        long expires = 0;
        String setting = "";
        String expected = "";
        String wanted = null;
        int then = 0;
        String restores = null;
        while (in.next()) {
            switch (in.field()) {
                case 1 -> id = in.text();
                case 2 -> node = in.text();
                case 3 -> service = in.text();
                case 4 -> issued = in.int64();
                case 5 -> expires = in.int64();
                case 6 -> setting = in.text();
                case 7 -> expected = in.text();
                case 8 -> wanted = in.text();
                case 9 -> then = in.int32();
                case 10 -> restores = in.text();
                default ->
                    throw in.malformed("field " + in.field() + " of an order (expected: 1 to 10)");
            }
        }
        return new Order(
                id,
                node,
                service,
                issued,
                expires,
                setting,
                expected,
                wanted,
                EnumNumbers.of(Order.Then.values(), then),
                restores);
    }
}
