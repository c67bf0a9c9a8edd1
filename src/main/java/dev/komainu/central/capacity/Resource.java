package dev.komainu.central.capacity;

import java.util.Arrays;
import java.util.Optional;

/**
 * A resource that may be exhausted, with the share at which it counts as exhausted. The thresholds
 * are those of the state model ({@code state/rules.yaml}), so that a forecast and the later alarm
 * mean the same.
 */
public enum Resource {
    /** The CPUs that the server may run on, busy with any process. */
    CPU("cpu", 0.90),
    /** CPU time its control group allows it. */
    CPU_QUOTA("cpu-quota", 0.90),
    /** Processes or threads that each serve one request. */
    WORKERS("workers", 0.95),
    /** Connections it will hold open. */
    CONNECTIONS("connections", 0.95),
    /** Descriptors of the process with the most. */
    FILES("files", 0.95),
    /** Memory of the host. */
    MEMORY("memory", 0.95),
    /** The busiest disk. */
    DISK("disk", 0.90),
    /** The fuller direction of the fullest interface whose speed is known. */
    NETWORK("network", 0.90),
    /** Its listen queue. */
    ACCEPT_QUEUE("accept-queue", 0.50);

    private final String text;
    private final double mark;

    Resource(String text, double mark) {
        this.text = text;
        this.mark = mark;
    }

    /** As the contract writes it. */
    public String text() {
        return text;
    }

    /** Share, 0 to 1, from which on it is used up. */
    public double mark() {
        return mark;
    }

    public static Optional<Resource> of(String text) {
        return Arrays.stream(values()).filter(each -> each.text.equals(text)).findFirst();
    }
}
