package dev.komainu.central.api.group;

import dev.komainu.central.api.problem.ProblemException;
import dev.komainu.central.assessment.Assessment;
import dev.komainu.central.assessment.Assessor;
import dev.komainu.central.assessment.ServiceAssessment;
import dev.komainu.central.capacity.Capacities;
import dev.komainu.central.capacity.Knee;
import dev.komainu.central.capacity.ServiceCapacity;
import dev.komainu.central.fleet.Fleet;
import dev.komainu.central.fleet.OriginSide;
import dev.komainu.central.group.GroupBoard;
import dev.komainu.central.group.GroupFigures;
import dev.komainu.central.group.SettingsTable;
import dev.komainu.central.incident.ServiceLink;
import dev.komainu.central.incident.ServiceLinks;
import dev.komainu.central.indices.IndexCatalogue;
import dev.komainu.central.indices.MeasurementView;
import dev.komainu.central.indices.WindowTotals;
import dev.komainu.central.label.LabelSelector;
import dev.komainu.central.label.ServiceLabel;
import dev.komainu.telemetry.record.Label;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** The groups of services, computed from the newest assessment and the live windows. */
@RestController
class GroupController {

    /** Seconds before the newest one that are not read: windows arrive a few seconds late. */
    private static final int LATE_SECONDS = 4;

    /** Longest window: so long are the distributions of single seconds kept. */
    private static final int MOST_SECONDS = 60;

    private static final int HEAT_COLUMNS = 60;

    private final Assessor assessor;
    private final GroupBoard board;
    private final Capacities capacities;
    private final Fleet fleet;
    private final IndexCatalogue catalogue;

    GroupController(
            Assessor assessor,
            GroupBoard board,
            Capacities capacities,
            Fleet fleet,
            IndexCatalogue catalogue) {
        this.assessor = assessor;
        this.board = board;
        this.capacities = capacities;
        this.fleet = fleet;
        this.catalogue = catalogue;
    }

    /** A label key with its values. */
    record KeyView(String key, int services, List<String> values) {}

    /**
     * {@code GroupList} of the contract.
     *
     * @param keys all keys, those with the most services first
     * @param items the groups of the requested key
     */
    record GroupListView(List<KeyView> keys, List<GroupView> items) {}

    /** {@code Heat} of the contract. */
    record HeatView(String index, String unit, Instant from, int stepSeconds, List<HeatRow> rows) {}

    /** One service of a heat map. */
    record HeatRow(String service, String name, List<@Nullable Double> values) {}

    @GetMapping("/api/v1/groups")
    GroupListView list(
            @RequestParam(required = false) @Nullable String by,
            @RequestParam(defaultValue = "10") int seconds) {
        Assessment assessment = assessor.latest();
        checkSeconds(seconds);
        Map<String, Map<String, Integer>> keys = new TreeMap<>();
        for (ServiceAssessment service : assessment.services()) {
            if (GroupBoard.isMember(service)) {
                for (ServiceLabel label : service.labels().all()) {
                    keys.computeIfAbsent(label.key(), key -> new TreeMap<>())
                            .merge(label.value(), 1, Integer::sum);
                }
            }
        }
        List<KeyView> shown = keys.entrySet().stream()
                .map(key -> new KeyView(
                        key.getKey(),
                        key.getValue().values().stream()
                                .mapToInt(Integer::intValue)
                                .sum(),
                        List.copyOf(key.getValue().keySet())))
                .sorted((one, other) -> Integer.compare(other.services(), one.services()))
                .toList();
        List<GroupView> groups = new ArrayList<>();
        if (by != null) {
            for (String value : keys.getOrDefault(by, Map.of()).keySet()) {
                LabelSelector selector = new LabelSelector(List.of(new Label(by, value)));
                groups.add(summary(assessment, selector, seconds));
            }
        }
        return new GroupListView(shown, groups);
    }

    @GetMapping("/api/v1/groups/{name}")
    GroupDetailView group(
            @PathVariable String name, @RequestParam(defaultValue = "60") int seconds) {
        LabelSelector selector = selector(name);
        checkSeconds(seconds);
        Assessment assessment = assessor.latest();
        List<ServiceAssessment> services = require(assessment, selector, name);
        long end = end(assessment);
        WindowTotals totals = board.totals(services, end, seconds);
        List<GroupView.MemberView> members = members(services, totals, end, seconds);
        return new GroupDetailView(
                view(selector, services, members, totals, end, seconds),
                GroupFigures.bins(totals.response()),
                members,
                SettingsTable.of(
                        services.stream().map(ServiceAssessment::profile).toList()),
                links(assessment, services));
    }

    @GetMapping("/api/v1/groups/{name}/heat")
    HeatView heat(
            @PathVariable String name,
            @RequestParam(defaultValue = "responseP95Millis") String index,
            @RequestParam(defaultValue = "15") int stepSeconds) {
        LabelSelector selector = selector(name);
        if (!catalogue.contains(index)) {
            throw ProblemException.invalidField("index", index, "a name of /api/v1/indices");
        }
        if (stepSeconds < 1 || stepSeconds > 15) {
            throw ProblemException.invalidField("stepSeconds", stepSeconds, "1 to 15");
        }
        Assessment assessment = assessor.latest();
        List<ServiceAssessment> services = require(assessment, selector, name);
        // Aligned to the step, so that a column keeps its value from one request to the next.
        long end = Math.floorDiv(end(assessment) + 1, stepSeconds) * (long) stepSeconds - 1;
        List<HeatRow> rows = new ArrayList<>();
        for (ServiceAssessment service : services) {
            MeasurementView view = assessor.view(service);
            List<@Nullable Double> values = new ArrayList<>(HEAT_COLUMNS);
            for (int column = HEAT_COLUMNS - 1; column >= 0; column--) {
                double value = view.at(index, end - (long) column * stepSeconds, stepSeconds);
                values.add(Double.isFinite(value) ? value : null);
            }
            rows.add(new HeatRow(service.profile().id(), service.profile().name(), values));
        }
        return new HeatView(
                index,
                catalogue.definition(index).unit(),
                Instant.ofEpochSecond(end + 1 - (long) HEAT_COLUMNS * stepSeconds),
                stepSeconds,
                rows);
    }

    private GroupView summary(Assessment assessment, LabelSelector selector, int seconds) {
        List<ServiceAssessment> services = GroupBoard.members(assessment, selector);
        long end = end(assessment);
        WindowTotals totals = board.totals(services, end, seconds);
        return view(
                selector, services, members(services, totals, end, seconds), totals, end, seconds);
    }

    private GroupView view(
            LabelSelector selector,
            List<ServiceAssessment> services,
            List<GroupView.MemberView> members,
            WindowTotals totals,
            long end,
            int seconds) {
        Set<String> ids = services.stream()
                .map(service -> service.profile().id())
                .collect(Collectors.toSet());
        return GroupView.of(
                selector,
                services,
                members,
                end,
                seconds,
                GroupFigures.of(totals, seconds),
                board.odd(ids));
    }

    private List<GroupView.MemberView> members(
            List<ServiceAssessment> services, WindowTotals all, long end, int seconds) {
        List<GroupView.MemberView> members = new ArrayList<>();
        for (ServiceAssessment service : services) {
            WindowTotals own = board.totals(List.of(service), end, seconds);
            members.add(new GroupView.MemberView(
                    service.profile().id(),
                    service.profile().name(),
                    service.profile().kind(),
                    service.profile().node(),
                    service.judgement().state(),
                    GroupFigures.of(own, seconds),
                    all.requests() <= 0 ? null : own.requests() / all.requests(),
                    capacity(service.profile().id()),
                    own.seconds() > 0));
        }
        return members;
    }

    private @Nullable Double capacity(String service) {
        ServiceCapacity newest = capacities.newest(service);
        Knee knee = newest == null ? null : newest.knee();
        return knee == null ? null : knee.rate();
    }

    private List<ServiceLink> links(Assessment assessment, List<ServiceAssessment> services) {
        Set<String> ids = new TreeSet<>();
        services.forEach(service -> ids.add(service.profile().id()));
        Map<String, ServiceLink> links = new LinkedHashMap<>();
        for (ServiceLink link :
                ServiceLinks.of(assessment.services(), fleet::serviceAt).all()) {
            boolean isShown = OriginSide.proxyOf(link.client()) == null
                    && OriginSide.proxyOf(link.server()) == null;
            if (isShown && (ids.contains(link.client()) || ids.contains(link.server()))) {
                links.put(link.client() + " " + link.server(), link);
            }
        }
        return List.copyOf(links.values());
    }

    private static List<ServiceAssessment> require(
            Assessment assessment, LabelSelector selector, String name) {
        List<ServiceAssessment> services = GroupBoard.members(assessment, selector);
        if (services.isEmpty()) {
            throw ProblemException.notFound("group", name).get();
        }
        return services;
    }

    private static LabelSelector selector(String name) {
        if (!LabelSelector.isSelector(name)) {
            throw ProblemException.invalidField("name", name, LabelSelector.FORM);
        }
        return LabelSelector.parse(name);
    }

    private static void checkSeconds(int seconds) {
        if (seconds < 1 || seconds > MOST_SECONDS) {
            throw ProblemException.invalidField("seconds", seconds, "1 to " + MOST_SECONDS);
        }
    }

    private static long end(Assessment assessment) {
        return assessment.at().getEpochSecond() - 1 - LATE_SECONDS;
    }
}
