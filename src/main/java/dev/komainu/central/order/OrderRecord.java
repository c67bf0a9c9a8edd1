package dev.komainu.central.order;

import com.fasterxml.jackson.annotation.JsonValue;
import dev.komainu.central.change.Change;
import dev.komainu.telemetry.record.Order;
import java.time.Instant;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * An order and what became of it.
 *
 * @param id ascending with time
 * @param code its name on the wire
 * @param at when it was given
 * @param expires when it is void
 * @param by who gave it
 * @param source the agent it is for, as it names itself in batches
 * @param wish what it is to change; {@code before} is what stood there
 * @param then what makes the value take effect
 * @param rollbackOf the order it undoes
 * @param reason short and stable, once it is over
 * @param detail for people
 * @param file what was replaced
 * @param restored whether the file is again as it was, after a failure
 * @param begun when the agent began, by its clock
 * @param ended when the outcome arrived
 * @param changeId the change that was recorded when it was done
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
        Order.Then then,
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
        /** Given, not yet confirmed by an outcome. */
        OPEN,
        DONE,
        /** The agent touched nothing. */
        REFUSED,
        /** Tried, and undone where it could be. */
        FAILED,
        /** No outcome came in time; one that comes later still counts. */
        EXPIRED;

        @JsonValue
        public String label() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** Whether it made a change that can be undone. */
    public boolean canBeUndone() {
        return state == State.DONE && rollbackOf == null;
    }
}
