package dev.komainu.central.order;

import com.fasterxml.jackson.annotation.JsonValue;
import dev.komainu.central.change.Change;
import dev.komainu.telemetry.record.Order;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * An order and its outcome.
 *
 * @param id ascending with time
 * @param code id of the order on the wire
 * @param at time of the order
 * @param expires time at which the order becomes void
 * @param by author of the order
 * @param source name of the executing agent, as in its batches
 * @param wish description of the change; {@code before} is the replaced value
 * @param companions values of the same file that change together with it
 * @param consequence action after which the value takes effect
 * @param rollbackOf id of the order that this one undoes
 * @param reason short and stable text of the outcome's reason; absent while the order is open
 * @param detail description for users
 * @param file replaced file
 * @param restored whether the file was restored after a failure
 * @param begun time at which the agent started, by its clock
 * @param ended time at which the outcome arrived
 * @param changeId id of the recorded change, when the order was done
 */
public record OrderRecord(
        long id,
        String code,
        Instant at,
        Instant expires,
        String by,
        String node,
        String source,
        Change.Wish wish,
        List<Order.Companion> companions,
        Order.Then consequence,
        @Nullable Long rollbackOf,
        State state,
        @Nullable String reason,
        @Nullable String detail,
        @Nullable String file,
        boolean restored,
        @Nullable Instant begun,
        @Nullable Instant ended,
        @Nullable Long changeId) {

    /** The progress of an order. */
    public enum State {
        /** The order is given and has no outcome yet. */
        OPEN,
        DONE,
        /** The agent refused the order and changed nothing. */
        REFUSED,
        /** The agent tried, failed and undid its changes if possible. */
        FAILED,
        /** No outcome arrived in time; a later one still counts. */
        EXPIRED;

        @JsonValue
        public String label() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** Reports whether the order made a change that can be undone. */
    public boolean canBeUndone() {
        return state == State.DONE && rollbackOf == null;
    }
}
