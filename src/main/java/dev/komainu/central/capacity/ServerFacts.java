package dev.komainu.central.capacity;

import org.jspecify.annotations.Nullable;

/**
 * The facts about a server beside its load.
 *
 * @param cores CPUs it may run on; absent without host samples
 * @param quotaCores CPU time a second its control group allows it; absent: no limit known
 * @param workers requests it works on at once by its settings; absent where they do not say
 * @param connections connections it holds by its settings; absent where they do not say
 */
public record ServerFacts(
        @Nullable Double cores,
        @Nullable Double quotaCores,
        @Nullable Double workers,
        @Nullable Double connections) {

    public static final ServerFacts UNKNOWN = new ServerFacts(null, null, null, null);

    /**
     * How many can be served at once by what is waited for; only whole ones work at the same time.
     */
    double servers(Resource resource) {
        Double known = resource == Resource.CPU
                ? cores
                : resource == Resource.CPU_QUOTA ? quotaCores : null;
        return known == null ? 1 : Math.max(1, Math.floor(known));
    }

    /** How much there is of a resource; absent where only its share in use is known. */
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
