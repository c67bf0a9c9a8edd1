package dev.komainu.central.api.service;

import dev.komainu.central.api.page.Csv;
import dev.komainu.central.api.page.Cursor;
import dev.komainu.central.api.page.Page;
import dev.komainu.central.api.page.QueryRange;
import dev.komainu.central.api.problem.ProblemException;
import dev.komainu.central.assessment.Assessor;
import dev.komainu.central.fleet.ServiceProfile;
import dev.komainu.central.store.ConnectionQuery;
import dev.komainu.central.store.RecordStore;
import dev.komainu.central.store.StoredPage;
import dev.komainu.central.store.TimeRange;
import dev.komainu.telemetry.record.ConnectionRecord;
import dev.komainu.telemetry.record.ConnectionState;
import dev.komainu.telemetry.record.HttpExchange;
import java.net.InetAddress;
import java.time.Clock;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.ModelAttribute;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;

/** The single connections of a service, newest first. */
@RestController
class ConnectionController {

    private static final int USUAL_SECONDS = 900;

    private final RecordStore store;
    private final Assessor assessor;
    private final Clock clock;

    ConnectionController(RecordStore store, Assessor assessor, Clock clock) {
        this.store = store;
        this.assessor = assessor;
        this.clock = clock;
    }

    /** The parameters of the route; an absent one does not filter. */
    record Filter(
            @Nullable Instant from,
            @Nullable Instant to,
            @Nullable String state,
            @Nullable String client,
            @Nullable String target,
            @Nullable Double minResponseMillis,
            @Nullable Integer limit,
            @Nullable String cursor) {}

    @GetMapping(value = "/api/v1/services/{service}/connections", produces = "application/json")
    Page<ConnectionView> list(@PathVariable String service, @ModelAttribute Filter filter) {
        return find(service, filter, 100);
    }

    @GetMapping(value = "/api/v1/services/{service}/connections", produces = Csv.MEDIA_TYPE)
    String csv(@PathVariable String service, @ModelAttribute Filter filter) {
        Csv csv = new Csv(
                "id",
                "client",
                "server",
                "start",
                "end",
                "durationMicros",
                "state",
                "handshakeMicros",
                "serverRttMicros",
                "clientRttMicros",
                "transferMicros",
                "payloadBytesUp",
                "payloadBytesDown",
                "requests",
                "slowestResponseMicros",
                "firstMethod",
                "firstTarget",
                "firstStatus");
        for (ConnectionView connection : find(service, filter, Page.MOST).items()) {
            HttpExchange first = connection.exchanges().isEmpty()
                    ? null
                    : connection.exchanges().getFirst();
            csv.row(
                    connection.id(),
                    connection.client(),
                    connection.server(),
                    connection.start(),
                    connection.end(),
                    connection.durationMicros(),
                    connection.state(),
                    connection.handshakeMicros(),
                    connection.serverRttMicros(),
                    connection.clientRttMicros(),
                    connection.transferMicros(),
                    connection.up().payloadBytes(),
                    connection.down().payloadBytes(),
                    connection.exchanges().size(),
                    connection.slowestResponseMicros(),
                    first == null ? null : first.method(),
                    first == null ? null : first.target(),
                    first == null ? null : first.status());
        }
        return csv.toString();
    }

    private Page<ConnectionView> find(String service, Filter filter, int usualLimit) {
        ServiceProfile profile = assessor.find(service)
                .orElseThrow(ProblemException.notFound("service", service))
                .profile();
        ConnectionQuery query = query(profile, filter, usualLimit);
        StoredPage<ConnectionRecord> page;
        try {
            page = store.connections(query);
        } catch (IllegalArgumentException e) { // only the cursor is unchecked here
            throw ProblemException.invalidField(
                    "cursor", filter.cursor(), "nextCursor of the previous page");
        }
        return new Page<>(
                page.items().stream().map(ConnectionView::of).toList(),
                page.next() == null ? null : Cursor.encode(page.next()));
    }

    private ConnectionQuery query(ServiceProfile profile, Filter filter, int usualLimit) {
        Instant to = filter.to() == null ? clock.instant() : filter.to();
        Instant from = filter.from() == null ? to.minusSeconds(USUAL_SECONDS) : filter.from();
        if (!from.isBefore(to)) {
            throw ProblemException.invalidField("from", from, "an instant before " + to);
        }
        QueryRange.check(from, to);
        Double millis = filter.minResponseMillis();
        if (millis != null && !(millis >= 0 && millis <= 86_400_000)) {
            throw ProblemException.invalidField("minResponseMillis", millis, "0 to 86400000");
        }
        try {
            return new ConnectionQuery(
                    names(profile),
                    TimeRange.of(from, to),
                    state(filter.state()),
                    address(filter.client()),
                    null,
                    millis == null ? null : Math.round(millis * 1_000),
                    filter.target() == null || filter.target().isEmpty() ? null : filter.target(),
                    Cursor.limit(filter.limit() == null ? usualLimit : filter.limit()),
                    filter.cursor() == null ? null : Cursor.decode(filter.cursor()));
        } catch (ArithmeticException e) {
            throw ProblemException.invalidField("from", from, "an instant of this age");
        }
    }

    /**
     * Returns the names of a service at its own agent and at probes elsewhere. A loopback address
     * is excluded, since it can belong to any host.
     */
    private static List<String> names(ServiceProfile profile) {
        return Stream.concat(
                        Stream.of(profile.id()),
                        profile.addresses().stream()
                                .filter(address -> !address.address().isLoopbackAddress())
                                .map(Object::toString))
                .distinct()
                .toList();
    }

    private static @Nullable ConnectionState state(@Nullable String label) {
        if (label == null || label.isEmpty()) {
            return null;
        }
        return Arrays.stream(ConnectionState.values())
                .filter(state -> state.label().equals(label))
                .findFirst()
                .orElseThrow(() -> ProblemException.invalidField(
                        "state",
                        label,
                        Arrays.stream(ConnectionState.values())
                                .map(ConnectionState::label)
                                .collect(Collectors.joining(", "))));
    }

    private static @Nullable String address(@Nullable String client) {
        if (client == null || client.isEmpty()) {
            return null;
        }
        try {
            return InetAddress.ofLiteral(client).getHostAddress();
        } catch (IllegalArgumentException e) {
            throw ProblemException.invalidField(
                    "client", client, "an IPv4 or IPv6 address without port");
        }
    }
}
