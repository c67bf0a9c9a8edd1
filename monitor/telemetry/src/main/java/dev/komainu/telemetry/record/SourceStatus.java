package dev.komainu.telemetry.record;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How a source itself fares; sent at start and every ten seconds, so that its silence is noticed.
 *
 * @param node the host it runs on
 * @param kind what it is
 * @param version of Komainu
 * @param startedMicros when this process began: a later value than before marks a restart, all
 *     counters begin anew
 * @param atMicros now
 * @param residentBytes its own memory
 * @param cpuCores its own CPU time per second of wall time
 * @param watching interfaces it captures on, or addresses it listens at
 * @param drops what it had to leave out since its start, by reason
 * @param troubles what it cannot do here, and the command that would mend it
 * @param orderKey the public key whose orders it carries out, 43 characters; absent: it carries out
 *     none
 */
public record SourceStatus(
        String node,
        Kind kind,
        String version,
        long startedMicros,
        long atMicros,
        long residentBytes,
        double cpuCores,
        List<String> watching,
        List<Drops> drops,
        List<Trouble> troubles,
        @Nullable String orderKey)
        implements TelemetryRecord {

    /** A source that takes no orders. */
    public SourceStatus(
            String node,
            Kind kind,
            String version,
            long startedMicros,
            long atMicros,
            long residentBytes,
            double cpuCores,
            List<String> watching,
            List<Drops> drops,
            List<Trouble> troubles) {
        this(
                node,
                kind,
                version,
                startedMicros,
                atMicros,
                residentBytes,
                cpuCores,
                watching,
                drops,
                troubles,
                null);
    }

    public SourceStatus {
        watching = List.copyOf(watching);
        drops = List.copyOf(drops);
        troubles = List.copyOf(troubles);
    }

    /** What kind of process reports. */
    public enum Kind {
        AGENT,
        PROXY,
        ORGANIZER
    }

    /** @param reason short, stable, such as {@code spool-full} or {@code kernel-drop} */
    public record Drops(String reason, long count) {}

    /**
     * @param code stable, such as {@code no-capture-permission}
     * @param message one sentence for people
     * @param remedy exact command, absent when there is none
     */
    public record Trouble(
            String code, String message, @Nullable String remedy) {}
}
