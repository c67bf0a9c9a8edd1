package dev.komainu.central.state;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;

/**
 * The states of a server: the thesis's three with their causes (3.5), and further states that the
 * thesis left open (3.7).
 */
public enum ServiceState {
    /** Requests are answered without trouble. */
    NORMAL("normal", Severity.NORMAL),
    /** Shortage of descriptors, socket tables, listen queue or ports (thesis: socket shortage). */
    SATURATED_SOCKETS("saturated/sockets", Severity.SATURATED),
    /** Shortage of workers or threads (thesis: server-process shortage). */
    SATURATED_PROCESSES("saturated/processes", Severity.SATURATED),
    /** Shortage of CPU time (thesis: system-capacity shortage). */
    SATURATED_CPU("saturated/cpu", Severity.SATURATED),
    /** Shortage of memory (thesis: system-capacity shortage). */
    SATURATED_MEMORY("saturated/memory", Severity.SATURATED),
    SATURATED_DISK("saturated/disk", Severity.SATURATED),
    SATURATED_BANDWIDTH("saturated/bandwidth", Severity.SATURATED),
    /** The server waits for a server behind it. */
    UPSTREAM_FAULT("upstream-fault", Severity.FAULT),
    /** Clients get no responses, or errors, and no cause above explains it. */
    FAILING("failing", Severity.FAULT),
    /** No listener; whether it was meant is not known yet. */
    STOPPED_UNCLEAR("stopped/unclear", Severity.STOPPED),
    STOPPED_RESTARTING("stopped/restarting", Severity.STOPPED),
    STOPPED_CRASHED("stopped/crashed", Severity.STOPPED),
    /** Host or link down: no response of any kind. */
    UNREACHABLE("unreachable", Severity.FAULT),
    /** The collector that is needed for a judgement is missing. */
    UNKNOWN("unknown", Severity.UNKNOWN);

    /** The severity of a state, worst first. */
    public enum Severity {
        STOPPED,
        FAULT,
        SATURATED,
        UNKNOWN,
        NORMAL
    }

    private final String label;
    private final Severity severity;

    ServiceState(String label, Severity severity) {
        this.label = label;
        this.severity = severity;
    }

    @JsonValue
    public String label() {
        return label;
    }

    public Severity severity() {
        return severity;
    }

    /**
     * Returns the state of a label.
     *
     * @throws IllegalArgumentException when no state has this label
     */
    @JsonCreator
    public static ServiceState ofLabel(String label) {
        for (ServiceState state : values()) {
            if (state.label.equals(label)) {
                return state;
            }
        }
        throw new IllegalArgumentException(
                "state: " + label + " (expected: normal, saturated/sockets, …, unknown)");
    }
}
