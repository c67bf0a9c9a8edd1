package dev.komainu.central.capacity;

import java.util.Arrays;
import java.util.Optional;

/**
 * A resource that may be exhausted, with the share at which it counts as exhausted. The thresholds
 * are those of the state model ({@code state/rules.yaml}), so that a forecast and a later alarm use
 * the same limits.
 */
public enum Resource {
    /** The CPUs that the server may run on, busy with any process. */
    CPU("cpu", 0.90),
    /** CPU time that the control group allows. */
    CPU_QUOTA("cpu-quota", 0.90),
    /** Processes or threads that each serve one request. */
    WORKERS("workers", 0.95),
    /** Connections that the server keeps open at most. */
    CONNECTIONS("connections", 0.95),
    /** File descriptors of the process with the most. */
    FILES("files", 0.95),
    /** Memory of the host. */
    MEMORY("memory", 0.95),
    /** The busiest disk. */
    DISK("disk", 0.90),
    /** The fuller direction of the fullest interface whose speed is known. */
    NETWORK("network", 0.90),
    /** The listen queue of the server. */
    ACCEPT_QUEUE("accept-queue", 0.50);

    private final String text;
    private final double mark;

    Resource(String text, double mark) {
        this.text = text;
        this.mark = mark;
    }

    /** Returns the name in the API. */
    public String text() {
        return text;
    }

    /** Returns the share, 0 to 1, at which the resource counts as exhausted. */
    public double mark() {
        return mark;
    }

    public static Optional<Resource> of(String text) {
        return Arrays.stream(values()).filter(each -> each.text.equals(text)).findFirst();
    }
}
