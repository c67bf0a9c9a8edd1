package dev.komainu.central;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.central.store.ConnectionQuery;
import dev.komainu.central.store.RecordStore;
import dev.komainu.central.store.SomeRecords;
import dev.komainu.central.store.TimeRange;
import dev.komainu.telemetry.identity.PartIdentity;
import dev.komainu.telemetry.identity.PartNames;
import dev.komainu.telemetry.record.ConnectionRecord;
import dev.komainu.telemetry.record.Endpoint;
import dev.komainu.telemetry.record.TelemetryRecord;
import dev.komainu.telemetry.report.Reporter;
import dev.komainu.telemetry.report.ReporterSettings;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.awaitility.Awaitility;

/**
 * An enrolled agent with a real identity and a real reporter. It counts what it sends: each record
 * is one connection with a port of its own, so the store shows what arrived, and how often.
 */
final class HonestAgent implements AutoCloseable {

    private static final Duration LIMIT = Duration.ofSeconds(90);
    private static final long HOUR = 3_600L * SomeRecords.SECOND;
    private static final int FIRST_PORT = 1_024;

    private final TlsCentre centre;
    private final String host;
    private final Path data;
    private final Queue<String> orders = new ConcurrentLinkedQueue<>();
    private final Map<String, Long> dropped = new TreeMap<>();
    private final long start = System.currentTimeMillis() * 1_000;
    private PartIdentity identity;
    private Reporter reporter;
    /** Connections sent so far; guarded by {@code this}. */
    private int sent;

    /** Enrols an agent of a new host. */
    HonestAgent(TlsCentre centre, String host, Path data, String... networks) throws IOException {
        this.centre = centre;
        this.host = host;
        this.data = data;
        this.identity = PartIdentity.open(data, centre.uri(), names(), centre.code(null, networks));
        this.reporter = reporter();
    }

    private PartNames names() {
        return new PartNames(PartNames.Kind.AGENT, source(), host);
    }

    private Reporter reporter() throws IOException {
        Reporter opened = new Reporter(
                ReporterSettings.of(centre.uri(), null, source(), data)
                        .withBatches(100, 64 << 10, Duration.ofMillis(20))
                        .withTimeouts(
                                Duration.ofSeconds(20),
                                Duration.ofMillis(20),
                                Duration.ofMillis(200),
                                Duration.ofSeconds(5)),
                identity);
        opened.onOrders(orders::addAll);
        return opened;
    }

    String source() {
        return "agent@" + host;
    }

    String service() {
        return host + ":80";
    }

    /** Returns the signed orders that came. */
    Queue<String> orders() {
        return orders;
    }

    /** Sends connections of its own service. */
    synchronized void send(int connections) {
        for (int i = 0; i < connections; i++) {
            reporter.accept(connection(service(), start + sent, FIRST_PORT + sent));
            sent++;
        }
    }

    /** Sends a record that is not counted. */
    synchronized void send(TelemetryRecord record) {
        reporter.accept(record);
    }

    static ConnectionRecord connection(String service, long endMicros, int port) {
        ConnectionRecord some = new SomeRecords(port).connection(endMicros);
        return new ConnectionRecord(
                service,
                Endpoint.parse("198.51.100.9:" + port),
                some.server(),
                some.times(),
                some.state(),
                some.handshake(),
                some.up(),
                some.down(),
                List.of(),
                0,
                null);
    }

    /**
     * Ends the process and starts it again without a code, as a restart of the host does.
     *
     * @param between runs while the process is not there
     */
    synchronized void restart(IoStep between) throws IOException {
        stop();
        between.run();
        identity = PartIdentity.open(data, centre.uri(), names(), null);
        reporter = reporter();
    }

    /** A step that reads or writes files. */
    @FunctionalInterface
    interface IoStep {
        void run() throws IOException;
    }

    private void stop() {
        reporter.close();
        reporter.drops().forEach((reason, count) -> dropped.merge(reason, count, Long::sum));
        identity.close();
    }

    /** Waits until all of its records are in the store, and checks that each is there once. */
    void assertNothingLost() {
        Awaitility.await("all records of " + host)
                .atMost(LIMIT)
                .untilAsserted(() -> assertThat(reporter.status().waitingRecords()
                                + reporter.status().queuedRecords())
                        .as("waiting: %s", reporter.status().lastTrouble())
                        .isZero());
        int expected;
        synchronized (this) {
            expected = sent;
        }
        assertThat(reporter.drops()).isEmpty();
        assertThat(dropped).isEmpty();
        assertThat(reporter.status().rejectedBatches()).isZero();
        Awaitility.await("the store has all of " + host)
                .atMost(LIMIT)
                .untilAsserted(() -> assertThat(stored()).hasSize(expected));
        assertThat(stored()).doesNotHaveDuplicates();
    }

    /** Returns the ports of the stored connections of its service. */
    private List<Integer> stored() {
        return centre
                .bean(RecordStore.class)
                .connections(ConnectionQuery.of(
                        List.of(service()), new TimeRange(start - HOUR, start + HOUR), 10_000))
                .items()
                .stream()
                .map(connection -> connection.record().client().port())
                .toList();
    }

    @Override
    public synchronized void close() {
        stop();
    }
}
