package dev.komainu.central.state;

import org.jspecify.annotations.Nullable;

/**
 * The course of one fault: the rule that names it, and whether its name changed. A fault begins
 * with its first name and ends when the service is normal. Used by the assessment's thread only.
 */
final class FaultCourse {

    /** No second. */
    static final long NEVER = Long.MIN_VALUE;

    private @Nullable Rule named;
    private long since = NEVER;
    private long leftAt = NEVER;
    private boolean changed;
    private boolean hurt;

    /** Returns the rule that names the fault; null when there is no fault. */
    @Nullable
    Rule named() {
        return named;
    }

    /** Returns the second of the present name. */
    long since() {
        return since;
    }

    /** Returns the second at which the naming rule was left; {@link #NEVER} while it is active. */
    long leftAt() {
        return leftAt;
    }

    /** Reports whether another state may still be named in this fault. */
    boolean mayChange() {
        return !changed;
    }

    /** Reports whether visitors were served worse than before at some second of the fault. */
    boolean isHurt() {
        return hurt;
    }

    void name(Rule rule, long second) {
        Rule before = named;
        if (before == null) {
            since = second;
        } else if (before.state() != rule.state()) {
            changed = true;
            since = second;
        }
        named = rule;
        leftAt = NEVER;
    }

    void left(long second) {
        leftAt = leftAt == NEVER ? second : leftAt;
    }

    void hurt() {
        hurt = true;
    }

    void end() {
        named = null;
        since = NEVER;
        leftAt = NEVER;
        changed = false;
        hurt = false;
    }

    void setBack(long second) {
        since = Math.min(since, second);
        leftAt = Math.min(leftAt, second);
    }
}
