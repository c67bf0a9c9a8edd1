package dev.komainu.central.ingest;

import dev.komainu.central.access.ReportingBounds;
import dev.komainu.central.ingest.ForeignReports.Name;
import dev.komainu.central.ingest.RefusedBatchException.Reason;
import dev.komainu.telemetry.record.AccessLogWindow;
import dev.komainu.telemetry.record.Batch;
import dev.komainu.telemetry.record.ClusterView;
import dev.komainu.telemetry.record.ConnectionRecord;
import dev.komainu.telemetry.record.Endpoint;
import dev.komainu.telemetry.record.HostSample;
import dev.komainu.telemetry.record.OrderOutcome;
import dev.komainu.telemetry.record.ProxyExchange;
import dev.komainu.telemetry.record.ProxyWindow;
import dev.komainu.telemetry.record.ServiceSighting;
import dev.komainu.telemetry.record.ServiceWindow;
import dev.komainu.telemetry.record.SourceStatus;
import dev.komainu.telemetry.record.TelemetryRecord;
import dev.komainu.telemetry.record.WindowParts;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The check that a credential reports in its own names only. A batch of another source is refused;
 * a record about another host or service is left out, and so is an address of another network. All
 * of it is counted: {@code komainu_ingest_foreign_total{name=}}. Any thread.
 */
final class OwnReports {

    private static final String PROXY = "proxy";
    private static final String ORGANIZER = "organizer";

    /** Kinds of parts, as the names of their sources begin. */
    private static final Set<String> KINDS = Set.of("agent", PROXY, ORGANIZER);

    private final ForeignReports foreign;
    private final List<OrderSource> orders;
    private final Clock clock;
    private final MeterRegistry registry;

    OwnReports(
            ForeignReports foreign, List<OrderSource> orders, MeterRegistry registry, Clock clock) {
        this.foreign = foreign;
        this.orders = List.copyOf(orders);
        this.clock = clock;
        this.registry = registry;
        for (Name name : Name.values()) {
            counter(name);
        }
    }

    /**
     * Returns the batch without the records that are not the sender's.
     *
     * @throws RefusedBatchException when the batch is another source's
     */
    Batch of(Batch batch, Sender sender) throws RefusedBatchException {
        ReportingBounds bounds = sender.bounds();
        if (bounds == null) {
            return batch;
        }
        String source = batch.id().source();
        if (!source.equals(bounds.source())) {
            count(sender, Name.SOURCE, source);
            throw new RefusedBatchException(
                    Reason.FOREIGN_SOURCE,
                    "source: " + source + " (expected: " + bounds.source() + ")",
                    null);
        }
        List<TelemetryRecord> kept = new ArrayList<>(batch.records().size());
        for (TelemetryRecord record : batch.records()) {
            TelemetryRecord own = own(record, sender, bounds);
            if (own != null) {
                kept.add(own);
            }
        }
        return kept.equals(batch.records()) ? batch : new Batch(batch.id(), kept);
    }

    private @Nullable TelemetryRecord own(
            TelemetryRecord record, Sender sender, ReportingBounds bounds) {
        return switch (record) {
            case ServiceSighting sighting -> own(sighting, sender, bounds);
            case HostSample sample ->
                allowsNode(sample.node(), sender, bounds)
                                && sample.servers().stream()
                                        .allMatch(server ->
                                                allowsService(server.service(), sender, bounds))
                                && departed(sample)
                                        .allMatch(server ->
                                                allowsService(server.service(), sender, bounds))
                        ? sample
                        : null;
            case SourceStatus status ->
                allowsNode(status.node(), sender, bounds) && allowsKind(status, sender, bounds)
                        ? status
                        : null;
            case ClusterView view ->
                allowsNode(view.node(), sender, bounds) && allowsMember(view, sender, bounds)
                        ? view
                        : null;
            case OrderOutcome outcome ->
                allowsNode(outcome.node(), sender, bounds)
                                && allowsService(outcome.service(), sender, bounds)
                                && allowsOrder(outcome.order(), sender, bounds)
                        ? outcome
                        : null;
            case ServiceWindow window ->
                allowsService(window.service(), sender, bounds) ? window : null;
            case WindowParts parts -> allowsService(parts.service(), sender, bounds) ? parts : null;
            case AccessLogWindow window ->
                allowsService(window.service(), sender, bounds) ? window : null;
            case ProxyWindow window ->
                allowsService(window.service(), sender, bounds) ? window : null;
            case ProxyExchange exchange ->
                allowsService(exchange.service(), sender, bounds) ? exchange : null;
            case ConnectionRecord connection ->
                connection.service() == null || allowsService(connection.service(), sender, bounds)
                        ? connection
                        : null;
        };
    }

    private static Stream<HostSample.DepartedServer> departed(HostSample sample) {
        HostSample.Departures departures = sample.departures();
        return departures == null ? Stream.empty() : departures.servers().stream();
    }

    private @Nullable ServiceSighting own(
            ServiceSighting sighting, Sender sender, ReportingBounds bounds) {
        boolean own = Stream.of(sighting.service(), sighting.originSideOf())
                        .filter(id -> id != null)
                        .allMatch(id -> allowsService(id, sender, bounds))
                && (sighting.node() == null || allowsNode(sighting.node(), sender, bounds));
        if (!own) {
            return null;
        }
        List<Endpoint> addresses = new ArrayList<>();
        for (Endpoint address : sighting.addresses()) {
            if (bounds.allowsAddress(address.address())) {
                addresses.add(address);
            } else {
                count(sender, Name.ADDRESS, address.toString());
            }
        }
        return addresses.size() == sighting.addresses().size()
                ? sighting
                : sighting.withAddresses(addresses);
    }

    private boolean allowsNode(String node, Sender sender, ReportingBounds bounds) {
        if (bounds.allowsNode(node)) {
            return true;
        }
        count(sender, Name.NODE, node);
        return false;
    }

    private boolean allowsService(String service, Sender sender, ReportingBounds bounds) {
        if (bounds.allowsService(service)) {
            return true;
        }
        count(sender, Name.SERVICE, service);
        return false;
    }

    /** Another source's order may be known, for instance from a log; its outcome is not. */
    private boolean allowsOrder(String order, Sender sender, ReportingBounds bounds) {
        if (orders.stream().noneMatch(each -> each.isOfAnother(bounds.source(), order))) {
            return true;
        }
        count(sender, Name.ORDER, order);
        return false;
    }

    /**
     * A proxy or an organizer must not report as the agent of its host, which gets the orders. A
     * source whose name is no part's may be of any kind.
     */
    private boolean allowsKind(SourceStatus status, Sender sender, ReportingBounds bounds) {
        String own = kind(bounds);
        String kind = status.kind().name().toLowerCase(Locale.ROOT);
        if (own.equals(kind) || !KINDS.contains(own)) {
            return true;
        }
        count(sender, Name.KIND, kind);
        return false;
    }

    /**
     * A view replaces the member's former one. An organizer sends its own; a proxy with an
     * organizer inside has another name than its member, so only the host is checked.
     */
    private boolean allowsMember(ClusterView view, Sender sender, ReportingBounds bounds) {
        String own = kind(bounds);
        String member = view.cluster() + "/" + view.member();
        if (own.equals(PROXY)
                || bounds.source().equals(ORGANIZER + "@" + member)
                || !KINDS.contains(own)) {
            return true;
        }
        count(sender, Name.MEMBER, member);
        return false;
    }

    /** Returns the kind in the name of a source: {@code proxy} of {@code proxy@web-01:7680}. */
    private static String kind(ReportingBounds bounds) {
        int at = bounds.source().indexOf('@');
        return at < 0 ? "" : bounds.source().substring(0, at);
    }

    private void count(Sender sender, Name name, String text) {
        counter(name).increment();
        foreign.add(sender.credential(), name, text, clock.millis() * 1_000);
    }

    private Counter counter(Name name) {
        return registry.counter("komainu.ingest.foreign", "name", name.label());
    }
}
