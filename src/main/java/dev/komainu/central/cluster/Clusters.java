package dev.komainu.central.cluster;

import dev.komainu.central.control.LaterWrites;
import dev.komainu.central.ingest.BatchListener;
import dev.komainu.telemetry.record.Batch;
import dev.komainu.telemetry.record.ClusterView;
import dev.komainu.telemetry.record.TelemetryRecord;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Component;

/**
 * The newest view of every member of every cluster. Any thread.
 *
 * <p>Any holder of a token with scope {@code ingest} may send views, so the number of clusters and
 * of members in each is limited. Views beyond the limits are dropped and logged.
 */
@Component
public class Clusters implements BatchListener {

    private static final Logger LOG = LoggerFactory.getLogger(Clusters.class);

    private static final int MOST_CLUSTERS = 100;
    private static final int MOST_MEMBERS = 200;
    private static final long DEPARTURE_TOLERANCE_MICROS = 5_000_000;

    /**
     * Time without a report after which a member is removed, like a service that is no longer seen.
     */
    private static final Duration KEPT = Duration.ofHours(24);

    /** Form of cluster and member names, as the settings of an organizer allow. */
    private static final Pattern NAME = Pattern.compile("[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?");

    private final ClusterEventTable events;
    private final LaterWrites writes;
    private final Clock clock;
    /** By cluster and member; guarded by this. */
    private final Map<String, Map<String, ReportedView>> clusters = new TreeMap<>();
    /**
     * Last views of members that left, by {@code CLUSTER/MEMBER}, by their own clocks; guarded by
     * this.
     */
    private final Map<String, ClusterView> departures = new LinkedHashMap<>() {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, ClusterView> eldest) {
            return size() > MOST_MEMBERS;
        }
    };

    public Clusters(ClusterEventTable events, LaterWrites writes, Clock clock) {
        this.events = events;
        this.writes = writes;
        this.clock = clock;
    }

    @Override
    public void stored(Batch batch) {
        for (TelemetryRecord record : batch.records()) {
            if (record instanceof ClusterView view
                    && accept(batch.id().source(), view)
                    && !view.events().isEmpty()) {
                writes.run(view, () -> events.keep(view));
            }
        }
    }

    private synchronized boolean accept(String source, ClusterView view) {
        if (!NAME.matcher(view.cluster()).matches()
                || !NAME.matcher(view.member()).matches()) {
            LOG.warn(
                    "{} reports cluster {}, member {} (expected: names of a-z, 0-9 and hyphens)",
                    source,
                    view.cluster(),
                    view.member());
            return false;
        }
        Instant now = clock.instant();
        Map<String, ReportedView> members = clusters.get(view.cluster());
        if (members == null) {
            forget(now);
            if (clusters.size() >= MOST_CLUSTERS) {
                LOG.warn(
                        "Cluster {} is ignored: the limit of {} clusters is reached",
                        view.cluster(),
                        MOST_CLUSTERS);
                return false;
            }
            members = new TreeMap<>();
            clusters.put(view.cluster(), members);
        }
        ReportedView report = members.get(view.member());
        if (report == null && members.size() >= MOST_MEMBERS) {
            LOG.warn(
                    "Member {} of {} is ignored: the limit of {} members is reached",
                    view.member(),
                    view.cluster(),
                    MOST_MEMBERS);
            return false;
        }
        if (report == null && !isBeforeDeparture(view)) {
            members.put(view.member(), new ReportedView(source, view, null, now, now));
        } else if (report != null && view.atMicros() > report.view().atMicros()) {
            members.put(view.member(), report.after(source, view, now));
        }
        for (ClusterView.Event event : view.events()) {
            if (event.kind().equals("left") && event.member() != null) {
                removeMember(view.cluster(), event.member(), event.atMicros(), members);
            }
        }
        return true;
    }

    /**
     * Removes a member that reported its departure: it is not missing. A late report from before
     * its present run is ignored.
     */
    private void removeMember(
            String cluster, String member, long atMicros, Map<String, ReportedView> members) {
        ReportedView report = members.get(member);
        if (report != null && report.view().startedMicros() <= atMicros) {
            members.remove(member);
            departures.put(cluster + "/" + member, report.view());
        }
    }

    /**
     * Reports whether a view is older than the member's departure: a member's last view may arrive
     * after others reported its departure. A member that continues to report is present.
     */
    private boolean isBeforeDeparture(ClusterView view) {
        ClusterView last = departures.get(view.cluster() + "/" + view.member());
        return last != null
                && last.startedMicros() == view.startedMicros()
                && view.atMicros() <= last.atMicros() + DEPARTURE_TOLERANCE_MICROS;
    }

    private void forget(Instant now) {
        Instant oldest = now.minus(KEPT);
        clusters.values()
                .forEach(members ->
                        members.values().removeIf(report -> report.heard().isBefore(oldest)));
        clusters.values().removeIf(Map::isEmpty);
    }

    /** Returns all clusters that any member reported within a day, by name. */
    public synchronized List<ClusterState> all() {
        Instant now = clock.instant();
        forget(now);
        return clusters.entrySet().stream()
                .map(cluster ->
                        ViewMerge.of(cluster.getKey(), cluster.getValue().values(), now))
                .toList();
    }

    public synchronized Optional<ClusterState> find(String name) {
        Map<String, ReportedView> members = clusters.get(name);
        return members == null || members.isEmpty()
                ? Optional.empty()
                : Optional.of(ViewMerge.of(name, members.values(), clock.instant()));
    }
}
