package dev.komainu.telemetry.record;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The status of a source; sent at start and every ten seconds, so that a missing source is
 * detected.
 *
 * @param node the host it runs on
 * @param kind the kind of process
 * @param version the version of Komainu
 * @param startedMicros start of this process; a later value than before indicates a restart, with
 *     all counters at zero
 * @param atMicros time of the status
 * @param use the memory and CPU time used by the process
 * @param watching interfaces it captures on, or addresses it listens on
 * @param drops records and packets dropped since its start, by reason
 * @param troubles its present problems, each with the command that solves it
 * @param orderKey the public key of the orders it accepts, 43 characters; absent: it accepts none
 * @param orderEpoch newest epoch of an order that it has accepted; 0: none yet; absent: it accepts
 *     no orders, or none that have an epoch
 */
public record SourceStatus(
        String node,
        Kind kind,
        String version,
        long startedMicros,
        long atMicros,
        Use use,
        List<String> watching,
        List<Drops> drops,
        List<Trouble> troubles,
        @Nullable String orderKey,
        @Nullable Long orderEpoch)
        implements TelemetryRecord {

    /**
     * The memory and CPU time used by the process.
     *
     * @param residentBytes its own memory
     * @param cpuCores its own CPU time per second of wall time
     */
    @FieldGroup
    public record Use(long residentBytes, double cpuCores) {}

    /** Creates a status of a source that accepts no orders. */
    public SourceStatus(
            String node,
            Kind kind,
            String version,
            long startedMicros,
            long atMicros,
            Use use,
            List<String> watching,
            List<Drops> drops,
            List<Trouble> troubles) {
        this(
                node,
                kind,
                version,
                startedMicros,
                atMicros,
                use,
                watching,
                drops,
                troubles,
                null,
                null);
    }

    public SourceStatus {
        watching = List.copyOf(watching);
        drops = List.copyOf(drops);
        troubles = List.copyOf(troubles);
    }

    /** The kind of reporting process. */
    public enum Kind {
        AGENT,
        PROXY,
        ORGANIZER
    }

    /**
     * A count of dropped items.
     *
     * @param reason short, stable, such as {@code spool-full} or {@code kernel-drop}
     */
    public record Drops(String reason, long count) {}

    /**
     * A problem of the source.
     *
     * @param code stable, such as {@code no-capture-permission}
     * @param message one sentence for people
     * @param remedy exact command; absent when there is none
     */
    public record Trouble(
            String code, String message, @Nullable String remedy) {}
}
