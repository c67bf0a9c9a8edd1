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
import dev.komainu.telemetry.record.ConnectionRecord;
import dev.komainu.telemetry.record.HttpExchange;
import java.time.Clock;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.ModelAttribute;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;

/** The single connections of a service, newest first. */
@RestController
class ConnectionController {

    private final RecordStore store;
    private final Assessor assessor;
    private final Clock clock;

    ConnectionController(RecordStore store, Assessor assessor, Clock clock) {
        this.store = store;
        this.assessor = assessor;
        this.clock = clock;
    }

    @GetMapping(value = "/api/v1/services/{service}/connections", produces = "application/json")
    Page<ConnectionView> list(
            @PathVariable String service, @ModelAttribute ConnectionFilter filter) {
        return find(service, filter, 100);
    }

    @GetMapping(value = "/api/v1/services/{service}/connections", produces = Csv.MEDIA_TYPE)
    String csv(@PathVariable String service, @ModelAttribute ConnectionFilter filter) {
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

    private Page<ConnectionView> find(String service, ConnectionFilter filter, int usualLimit) {
        ServiceProfile profile = assessor.find(service)
                .orElseThrow(ProblemException.notFound("service", service))
                .profile();
        ConnectionQuery query = filter.query(profile, clock.instant(), usualLimit);
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
}
