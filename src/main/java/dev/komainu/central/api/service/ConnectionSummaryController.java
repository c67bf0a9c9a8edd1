package dev.komainu.central.api.service;

import dev.komainu.central.api.page.QueryChoice;
import dev.komainu.central.api.problem.ProblemException;
import dev.komainu.central.assessment.Assessor;
import dev.komainu.central.fleet.ServiceProfile;
import dev.komainu.central.store.ConnectionQuery;
import dev.komainu.central.store.RecordStore;
import dev.komainu.central.store.StoredPage;
import dev.komainu.telemetry.record.ConnectionRecord;
import java.time.Clock;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.ModelAttribute;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** The connections of a service as totals, groups and a distribution. */
@RestController
class ConnectionSummaryController {

    /** The highest number of connections in one summary. */
    private static final int MOST_CONNECTIONS = 20_000;

    /** The highest number of exchanges in one summary; the last page may exceed it. */
    private static final int MOST_EXCHANGES = 200_000;

    private static final int PAGE = 1_000;
    private static final int MOST_GROUPS = 500;

    private final RecordStore store;
    private final Assessor assessor;
    private final Clock clock;

    ConnectionSummaryController(RecordStore store, Assessor assessor, Clock clock) {
        this.store = store;
        this.assessor = assessor;
        this.clock = clock;
    }

    @GetMapping("/api/v1/services/{service}/connection-summary")
    ConnectionSummary summary(
            @PathVariable String service,
            @ModelAttribute ConnectionFilter filter,
            @RequestParam(defaultValue = "client") String groupBy,
            @RequestParam(defaultValue = "connections") String sort,
            @RequestParam(defaultValue = "20") int groups) {
        ConnectionGrouping grouping = QueryChoice.of(
                "groupBy", groupBy, ConnectionGrouping.values(), ConnectionGrouping::label);
        ConnectionOrder order =
                QueryChoice.of("sort", sort, ConnectionOrder.values(), ConnectionOrder::label);
        if (groups < 1 || groups > MOST_GROUPS) {
            throw ProblemException.invalidField("groups", groups, "1 to " + MOST_GROUPS);
        }
        ServiceProfile profile = assessor.find(service)
                .orElseThrow(ProblemException.notFound("service", service))
                .profile();
        ConnectionQuery query = filter.query(profile, clock.instant(), PAGE);
        ConnectionSummary.Collector collector = new ConnectionSummary.Collector(grouping);
        while (true) {
            StoredPage<ConnectionRecord> page = store.connections(query);
            page.items().forEach(collector::add);
            if (page.next() == null) {
                return collector.summary(order, groups, true);
            }
            if (collector.connections() >= MOST_CONNECTIONS
                    || collector.exchanges() >= MOST_EXCHANGES) {
                return collector.summary(order, groups, false);
            }
            query = query.after(page.next());
        }
    }
}
