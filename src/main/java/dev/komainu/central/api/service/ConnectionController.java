package dev.komainu.central.api.service;

import dev.komainu.central.api.page.Csv;
import dev.komainu.central.api.page.Cursor;
import dev.komainu.central.api.page.Page;
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

/** Connections of a service one by one, newest first. */
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

    /** The parameters of the route; what is absent does not filter. */
    record Wanted(
            @Nullable Instant from,
            @Nullable Instant to,
            @Nullable String state,
            @Nullable String client,
            @Nullable String target,
            @Nullable Double minResponseMillis,
            @Nullable Integer limit,
            @Nullable String cursor) {}

    @GetMapping(value = "/api/v1/services/{service}/connections", produces = "application/json")
    Page<ConnectionView> list(@PathVariable String service, @ModelAttribute Wanted wanted) {
        return find(service, wanted, 100);
    }

    @GetMapping(value = "/api/v1/services/{service}/connections", produces = Csv.MEDIA_TYPE)
    String csv(@PathVariable String service, @ModelAttribute Wanted wanted) {
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
        for (ConnectionView connection : find(service, wanted, Page.MOST).items()) {
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

    private Page<ConnectionView> find(String service, Wanted wanted, int usualLimit) {
        ServiceProfile profile = assessor.find(service)
                .orElseThrow(ProblemException.notFound("service", service))
                .profile();
        ConnectionQuery query = query(profile, wanted, usualLimit);
        StoredPage<ConnectionRecord> found;
        try {
            found = store.connections(query);
        } catch (IllegalArgumentException e) { // all else was checked before
            throw ProblemException.invalidField(
                    "cursor", wanted.cursor(), "nextCursor of the page before");
        }
        return new Page<>(
                found.items().stream().map(ConnectionView::of).toList(),
                found.next() == null ? null : Cursor.encode(found.next()));
    }

    private ConnectionQuery query(ServiceProfile profile, Wanted wanted, int usualLimit) {
        Instant to = wanted.to() == null ? clock.instant() : wanted.to();
        Instant from = wanted.from() == null ? to.minusSeconds(USUAL_SECONDS) : wanted.from();
        if (!from.isBefore(to)) {
            throw ProblemException.invalidField("from", from, "an instant before " + to);
        }
        Double millis = wanted.minResponseMillis();
        if (millis != null && !(millis >= 0 && millis <= 86_400_000)) {
            throw ProblemException.invalidField("minResponseMillis", millis, "0 to 86400000");
        }
        try {
            return new ConnectionQuery(
                    names(profile),
                    TimeRange.of(from, to),
                    state(wanted.state()),
                    address(wanted.client()),
                    null,
                    millis == null ? null : Math.round(millis * 1_000),
                    wanted.target() == null || wanted.target().isEmpty() ? null : wanted.target(),
                    Cursor.limit(wanted.limit() == null ? usualLimit : wanted.limit()),
                    wanted.cursor() == null ? null : Cursor.decode(wanted.cursor()));
        } catch (ArithmeticException e) {
            throw ProblemException.invalidField("from", from, "an instant of this age");
        }
    }

    /**
     * What the agent beside it and probes elsewhere call this service. A loopback address could be
     * anybody's.
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
