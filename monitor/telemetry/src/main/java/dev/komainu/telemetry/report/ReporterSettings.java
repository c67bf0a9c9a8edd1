package dev.komainu.telemetry.report;

import dev.komainu.telemetry.identity.CentralAddresses;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The settings of a reporter. Start with {@link #of} and change single values with the
 * {@code with…} methods.
 *
 * <pre>
 * name             unit      default    range             effect
 * central          URLs                 1 to 8            addresses of the central services, see CentralAddresses
 * token-file       path                 readable          bearer token with scope "ingest"; read again after a 401; not sent with an identity
 * authority-file   path                 PEM               authorities of the central service's certificate; absent: those of the identity, else Java's own
 * source           text                 1 to 200 chars    first part of every batch's name: stable, one per process
 * directory        path                                   parent of spool and quarantine
 * queue-records    records   20,000     100 to 1,000,000  above it new records are dropped (queue-full)
 * batch-records    records   2,000      1 to 20,000       a batch closes at this count
 * batch-bytes      bytes     512 KB     1 KB to 4 MB      a batch closes at this size before compression
 * batch-age        duration  1 s        10 ms to 1 min    a batch closes at this age
 * memory-bytes     bytes     4 MB       64 KB to 256 MB   batches waiting in memory; above it they go to the spool
 * spool-bytes      bytes     256 MB     0, 1 MB to 1 TB   spool on disk; 0: none; above it the oldest are deleted (spool-full)
 * quarantine-bytes bytes     16 MB      0 to 1 GB         poisoned batches kept for inspection, newest first
 * request-timeout  duration  30 s       100 ms to 10 min  for connecting and for the response
 * retry-first      duration  500 ms     10 ms to 1 min    wait after the first failure; doubles each time
 * retry-most       duration  30 s       10 ms to 1 h      longest wait after a failure
 * close-wait       duration  5 s        0 to 1 min        time to send remaining batches at close; the rest is spooled
 * </pre>
 */
public record ReporterSettings(
        CentralAddresses central,
        @Nullable Path tokenFile,
        @Nullable Path authorityFile,
        String source,
        Path directory,
        int queueRecords,
        int batchRecords,
        int batchBytes,
        Duration batchAge,
        long memoryBytes,
        long spoolBytes,
        long quarantineBytes,
        Duration requestTimeout,
        Duration retryFirst,
        Duration retryMost,
        Duration closeWait) {

    /**
     * Checks the values.
     *
     * @throws IllegalArgumentException naming every invalid setting with its value and the expected
     *     range
     */
    public ReporterSettings {
        List<String> problems = new ArrayList<>();
        if (source.isBlank() || source.length() > 200) {
            problems.add("source: \"" + source + "\" (expected: 1 to 200 characters)");
        }
        check(problems, "queue-records", queueRecords, 100, 1_000_000);
        check(problems, "batch-records", batchRecords, 1, 20_000);
        check(problems, "batch-bytes", batchBytes, 1 << 10, 4 << 20);
        check(problems, "memory-bytes", memoryBytes, 64 << 10, 256 << 20);
        if (spoolBytes != 0) {
            check(problems, "spool-bytes", spoolBytes, 1 << 20, 1L << 40);
        }
        check(problems, "quarantine-bytes", quarantineBytes, 0, 1 << 30);
        check(problems, "batch-age", batchAge, Duration.ofMillis(10), Duration.ofMinutes(1));
        check(
                problems,
                "request-timeout",
                requestTimeout,
                Duration.ofMillis(100),
                Duration.ofMinutes(10));
        check(problems, "retry-first", retryFirst, Duration.ofMillis(10), Duration.ofMinutes(1));
        check(problems, "retry-most", retryMost, Duration.ofMillis(10), Duration.ofHours(1));
        check(problems, "close-wait", closeWait, Duration.ZERO, Duration.ofMinutes(1));
        if (!problems.isEmpty()) {
            throw new IllegalArgumentException(String.join("\n", problems));
        }
    }

    /**
     * Returns the defaults at a central service with one address.
     *
     * @throws IllegalArgumentException naming the address and what was expected
     */
    public static ReporterSettings of(
            URI central, @Nullable Path tokenFile, String source, Path directory) {
        return of(CentralAddresses.of(central), tokenFile, source, directory);
    }

    /** Returns the defaults. */
    public static ReporterSettings of(
            CentralAddresses central, @Nullable Path tokenFile, String source, Path directory) {
        return new ReporterSettings(
                central,
                tokenFile,
                null,
                source,
                directory,
                20_000,
                2_000,
                512 << 10,
                Duration.ofSeconds(1),
                4 << 20,
                256L << 20,
                16L << 20,
                Duration.ofSeconds(30),
                Duration.ofMillis(500),
                Duration.ofSeconds(30),
                Duration.ofSeconds(5));
    }

    /**
     * Returns a copy with the authorities of the central service's certificate.
     *
     * @param authorities PEM file; absent: those of the Java runtime
     */
    public ReporterSettings withAuthorities(@Nullable Path authorities) {
        return new ReporterSettings(
                central,
                tokenFile,
                authorities,
                source,
                directory,
                queueRecords,
                batchRecords,
                batchBytes,
                batchAge,
                memoryBytes,
                spoolBytes,
                quarantineBytes,
                requestTimeout,
                retryFirst,
                retryMost,
                closeWait);
    }

    /**
     * Returns a copy with limits of waiting records: records in the queue, bytes in memory, bytes
     * on disk, bytes in the quarantine.
     */
    public ReporterSettings withLimits(int queue, long memory, long spool, long quarantine) {
        return new ReporterSettings(
                central,
                tokenFile,
                authorityFile,
                source,
                directory,
                queue,
                batchRecords,
                batchBytes,
                batchAge,
                memory,
                spool,
                quarantine,
                requestTimeout,
                retryFirst,
                retryMost,
                closeWait);
    }

    /** Returns a copy with the limits at which a batch closes. */
    public ReporterSettings withBatches(int records, int bytes, Duration age) {
        return new ReporterSettings(
                central,
                tokenFile,
                authorityFile,
                source,
                directory,
                queueRecords,
                records,
                bytes,
                age,
                memoryBytes,
                spoolBytes,
                quarantineBytes,
                requestTimeout,
                retryFirst,
                retryMost,
                closeWait);
    }

    /**
     * Returns a copy with timeouts: of a request, of the first and the longest wait after a
     * failure, and of close.
     */
    public ReporterSettings withTimeouts(
            Duration timeout, Duration first, Duration most, Duration close) {
        return new ReporterSettings(
                central,
                tokenFile,
                authorityFile,
                source,
                directory,
                queueRecords,
                batchRecords,
                batchBytes,
                batchAge,
                memoryBytes,
                spoolBytes,
                quarantineBytes,
                timeout,
                first,
                most,
                close);
    }

    private static void check(
            List<String> problems, String name, long value, long least, long most) {
        if (value < least || value > most) {
            problems.add(name + ": " + value + " (expected: " + least + " to " + most + ")");
        }
    }

    private static void check(
            List<String> problems, String name, Duration value, Duration least, Duration most) {
        if (value.compareTo(least) < 0 || value.compareTo(most) > 0) {
            problems.add(name + ": " + value.toMillis() + " ms (expected: " + least.toMillis()
                    + " to " + most.toMillis() + " ms)");
        }
    }
}
