package dev.komainu.central.api.service;

import dev.komainu.central.api.stream.EventHub;
import dev.komainu.central.assessment.Assessment;
import dev.komainu.central.assessment.AssessmentListener;
import dev.komainu.central.fleet.FleetQuotas;
import dev.komainu.central.fleet.SourceProfile;
import dev.komainu.central.incident.Incident;
import dev.komainu.central.incident.IncidentBoard;
import dev.komainu.central.incident.IncidentMember;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.springframework.stereotype.Component;

/**
 * The fleet as the topic {@code services} shows it: one row for each service, the incidents that
 * last, recent events and troubled sources. Runs on the assessment's thread; any thread may read
 * the newest whole.
 *
 * <p>Each assessment is one change, however little differs: {@code at} tells the reader that the
 * rows are still right. {@link RowChanges} decides which rows a change has.
 */
@Component
class FleetRows implements AssessmentListener {

    static final String TOPIC = "services";

    /** Pace of what is read from the database or changes in small steps, in seconds. */
    private static final int OTHERS_EVERY_SECONDS = 5;

    private static final SharedTokenView NO_SHARED_TOKEN = new SharedTokenView(0, null);

    /** Approximate bytes of one row in JSON. */
    private static final int ROW_BYTES = 400;

    private final EventHub hub;
    private final RecentEvents recentEvents;
    private final FleetQuotas quotas;
    private final IncidentBoard incidents;
    private final ReportingCredentials credentials;
    private final String epoch = Long.toString(System.currentTimeMillis(), 36);

    // The assessment's thread only.
    private final RowChanges rowChanges = new RowChanges();
    private final Map<String, Shown> shownIncidents = new LinkedHashMap<>();
    private List<OverviewView.Recent> recent = List.of();
    private List<SourceView> sources = List.of();
    private List<SourceKey> sourceKeys = List.of();
    private List<OverviewView.Refused> refused = List.of();
    private SharedTokenView sharedToken = NO_SHARED_TOKEN;
    private long ticks;

    private volatile FleetUpdate whole;

    FleetRows(
            EventHub hub,
            RecentEvents recentEvents,
            FleetQuotas quotas,
            IncidentBoard incidents,
            ReportingCredentials credentials) {
        this.hub = hub;
        this.recentEvents = recentEvents;
        this.quotas = quotas;
        this.incidents = incidents;
        this.credentials = credentials;
        this.whole = new FleetUpdate(
                epoch + ".0",
                true,
                Instant.EPOCH,
                List.of(),
                List.of(),
                List.of(),
                List.of(),
                List.of(),
                List.of(),
                List.of(),
                null);
    }

    /** An incident as it was published. */
    private record Shown(Incident incident, long tick) {}

    /** Facts of a source whose change is published. */
    private record SourceKey(String name, boolean silent, List<?> troubles) {}

    /** Returns the whole fleet as of the newest assessment. */
    FleetUpdate whole() {
        return whole;
    }

    @Override
    public void assessed(Assessment assessment) {
        ticks++;
        RowChanges.Changes changed = rowChanges.next(assessment.services());
        List<Incident> open = incidents.open();
        List<Incident> changedIncidents = changedIncidents(open);
        List<String> ended = endedIncidents(open);
        boolean othersDue = ticks % OTHERS_EVERY_SECONDS == 1;
        if (othersDue || !assessment.transitions().isEmpty()) {
            recentEvents.refresh();
        }
        boolean newRecent = readRecent();
        boolean newSources = readSources(assessment.sources());
        boolean newRefused = othersDue && readRefused();
        boolean newSharedToken = othersDue && readSharedToken();
        String version = epoch + "." + ticks;
        FleetUpdate change = new FleetUpdate(
                version,
                false,
                assessment.at(),
                changed.rows(),
                changed.removed(),
                changedIncidents,
                ended,
                newRecent ? recent : null,
                newSources ? sources : null,
                newRefused ? refused : null,
                newSharedToken ? sharedToken : null);
        FleetUpdate all = new FleetUpdate(
                version,
                true,
                assessment.at(),
                rowChanges.all(),
                List.of(),
                shownIncidents.values().stream().map(Shown::incident).toList(),
                List.of(),
                recent,
                sources,
                refused,
                sharedToken.sources() == 0 ? null : sharedToken);
        whole = all;
        hub.publishChange(
                TOPIC, TOPIC, version, change, () -> all, all.services().size() * ROW_BYTES);
    }

    private List<Incident> changedIncidents(List<Incident> open) {
        List<Incident> changed = new ArrayList<>();
        Map<String, Shown> before = new HashMap<>(shownIncidents);
        shownIncidents.clear();
        for (Incident incident : open) {
            Shown shown = before.get(incident.id());
            boolean send = shown == null
                    || !sameMembers(shown.incident, incident)
                    || (ticks - shown.tick >= OTHERS_EVERY_SECONDS
                            && !shown.incident.equals(incident));
            if (send) {
                changed.add(incident);
            }
            shownIncidents.put(
                    incident.id(), send || shown == null ? new Shown(incident, ticks) : shown);
        }
        return changed;
    }

    /** Reports whether an incident differs in causes and response times at most. */
    private static boolean sameMembers(Incident one, Incident other) {
        if (!one.root().equals(other.root())
                || one.settled() != other.settled()
                || one.members().size() != other.members().size()) {
            return false;
        }
        for (int i = 0; i < one.members().size(); i++) {
            IncidentMember before = one.members().get(i);
            IncidentMember after = other.members().get(i);
            if (!before.service().equals(after.service())
                    || before.state() != after.state()
                    || !Objects.equals(before.until(), after.until())) {
                return false;
            }
        }
        return true;
    }

    private List<String> endedIncidents(List<Incident> open) {
        Set<String> lasting = new HashSet<>();
        open.forEach(incident -> lasting.add(incident.id()));
        return whole.incidents().stream()
                .map(Incident::id)
                .filter(id -> !lasting.contains(id))
                .toList();
    }

    private boolean readRecent() {
        List<OverviewView.Recent> before = recent;
        recent = recentEvents.newest();
        return recent != before && !recent.equals(before);
    }

    private boolean readSources(List<SourceProfile> all) {
        List<SourceProfile> troubled = all.stream()
                .filter(each -> each.silent() || !each.status().troubles().isEmpty())
                .toList();
        List<SourceKey> keys = troubled.stream()
                .map(each ->
                        new SourceKey(each.name(), each.silent(), each.status().troubles()))
                .toList();
        if (keys.equals(sourceKeys)) {
            return false;
        }
        sourceKeys = keys;
        sources = troubled.stream()
                .map(source -> SourceView.of(source, credentials))
                .toList();
        return true;
    }

    private boolean readRefused() {
        List<OverviewView.Refused> before = refused;
        refused = OverviewView.Refused.of(quotas.refused());
        return !refused.equals(before);
    }

    private boolean readSharedToken() {
        SharedTokenView before = sharedToken;
        sharedToken = Objects.requireNonNullElse(credentials.shared(), NO_SHARED_TOKEN);
        return !sharedToken.equals(before);
    }
}
