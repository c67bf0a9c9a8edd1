package dev.komainu.agent.order;

/** An order that was not carried out, or was undone. Expected, so without a stack trace. */
final class OrderRefusedException extends Exception {

    private static final long serialVersionUID = 1;

    private final String reason;
    private final boolean touched;
    private final boolean restored;

    private OrderRefusedException(String reason, String detail, boolean touched, boolean restored) {
        super(detail, null, false, false);
        this.reason = reason;
        this.touched = touched;
        this.restored = restored;
    }

    /** Creates a refusal before any change. */
    static OrderRefusedException untouched(String reason, String detail) {
        return new OrderRefusedException(reason, detail, false, false);
    }

    /** Creates a failure after a change was attempted. */
    static OrderRefusedException failed(String reason, String detail, boolean restored) {
        return new OrderRefusedException(reason, detail, true, restored);
    }

    String reason() {
        return reason;
    }

    boolean touched() {
        return touched;
    }

    boolean restored() {
        return restored;
    }
}
