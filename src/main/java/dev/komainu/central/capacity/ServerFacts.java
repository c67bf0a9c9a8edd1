package dev.komainu.central.capacity;

import org.jspecify.annotations.Nullable;

/**
 * The facts about a server other than its load.
 *
 * @param cores CPUs that it may use; absent without host samples
 * @param quotaCores CPU seconds a second that its control group allows; absent: no known limit
 * @param workers largest number of requests processed concurrently by its settings; absent when
 *     unknown
 * @param connections largest number of connections by its settings; absent when unknown
 */
public record ServerFacts(
        @Nullable Double cores,
        @Nullable Double quotaCores,
        @Nullable Double workers,
        @Nullable Double connections) {

    public static final ServerFacts UNKNOWN = new ServerFacts(null, null, null, null);

    /** Returns the number of requests that a resource serves concurrently, at least 1. */
    double servers(Resource resource) {
        Double known = resource == Resource.CPU
                ? cores
                : resource == Resource.CPU_QUOTA ? quotaCores : null;
        return known == null ? 1 : Math.max(1, Math.floor(known));
    }

    /** Returns the amount of a resource; {@code null} when only its share in use is known. */
    public @Nullable Double amount(Resource resource) {
        return switch (resource) {
            case CPU -> cores;
            case CPU_QUOTA -> quotaCores;
            case WORKERS -> workers;
            case CONNECTIONS -> connections;
            default -> null;
        };
    }
}
