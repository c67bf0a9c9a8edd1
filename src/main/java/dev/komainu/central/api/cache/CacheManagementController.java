package dev.komainu.central.api.cache;

import dev.komainu.central.access.Audit;
import dev.komainu.central.access.Caller;
import dev.komainu.central.api.problem.BodyChecks;
import dev.komainu.central.assessment.Assessor;
import dev.komainu.central.caches.CacheManagement;
import dev.komainu.central.caches.CachePeak;
import dev.komainu.central.caches.CachePools;
import dev.komainu.central.caches.ProxyControl;
import dev.komainu.central.change.Change;
import dev.komainu.central.change.Changes;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.security.core.annotation.AuthenticationPrincipal;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.PutMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;

/**
 * The memory and connection management of Komainu's proxies, and its switches. Each switch is
 * marked in the charts.
 */
@RestController
class CacheManagementController {

    private static final Set<String> MODES = Set.of("single", "basic", "partition");
    private static final int MOST_PREFIXES = 1_000;
    private static final Set<String> SIGHTS = Set.of("peak", "off-peak", "auto");
    private static final int PEAK_SECONDS = 3_600;
    private static final int LONGEST_PEAK_SECONDS = 604_800;

    private final ProxyCalls proxies;
    private final ProxyControl control;
    private final Assessor assessor;
    private final Changes changes;
    private final Audit audit;

    CacheManagementController(
            ProxyCalls proxies,
            ProxyControl control,
            Assessor assessor,
            Changes changes,
            Audit audit) {
        this.proxies = proxies;
        this.control = control;
        this.assessor = assessor;
        this.changes = changes;
        this.audit = audit;
    }

    record PoolsRequest(
            @Nullable String mode,
            @Nullable List<@Nullable String> priority,
            @Nullable Integer floorPercent,
            @Nullable Integer dampingPercent) {

        /**
         * Returns the checked order.
         *
         * @throws dev.komainu.central.api.problem.ProblemException naming every field that is wrong
         */
        CachePools.Order checked() {
            boolean prefixes = priority == null
                    || (priority.size() <= MOST_PREFIXES
                            && priority.stream()
                                    .allMatch(each -> each != null
                                            && !each.isBlank()
                                            && each.length() <= 4_096));
            new BodyChecks()
                    .that(
                            mode == null || MODES.contains(mode),
                            "mode",
                            String.valueOf(mode),
                            "single, basic or partition")
                    .that(
                            prefixes,
                            "priority",
                            "wrong",
                            "at most " + MOST_PREFIXES + " URL prefixes")
                    .orRefuse();
            List<String> named = priority == null
                    ? null
                    : priority.stream().map(String::valueOf).toList();
            return new CachePools.Order(mode, named, floorPercent, dampingPercent);
        }
    }

    record PeakRequest(@Nullable String mode, @Nullable Integer seconds) {}

    @GetMapping("/api/v1/caches/{service}/management")
    CacheManagement management(@PathVariable String service) {
        return proxies.call(service, control::management);
    }

    @PutMapping("/api/v1/caches/{service}/pools")
    CachePools divide(
            @AuthenticationPrincipal Caller caller,
            @PathVariable String service,
            @RequestBody PoolsRequest request) {
        CachePools.Order order = request.checked();
        String before = proxies.call(service, control::pools).describe();
        CachePools after = proxies.call(service, proxy -> control.divide(proxy, order));
        if (!after.describe().equals(before)) {
            String id = assessor.canonical(service);
            changes.record(
                    new Change.Wish(
                            id,
                            "Pools of the cache",
                            "cache.partition",
                            cut(before),
                            cut(after.describe()),
                            null,
                            null,
                            null),
                    caller.name(),
                    null);
            audit.done(caller, "cache.divide", id, before, after.describe());
        }
        return after;
    }

    @PostMapping("/api/v1/caches/{service}/peak")
    CachePeak see(
            @AuthenticationPrincipal Caller caller,
            @PathVariable String service,
            @RequestBody PeakRequest request) {
        String mode = String.valueOf(request.mode());
        int seconds = request.seconds() == null ? PEAK_SECONDS : request.seconds();
        new BodyChecks()
                .that(SIGHTS.contains(mode), "mode", mode, "peak, off-peak or auto")
                .that(
                        seconds >= 1 && seconds <= LONGEST_PEAK_SECONDS,
                        "seconds",
                        Integer.toString(seconds),
                        "1 to " + LONGEST_PEAK_SECONDS)
                .orRefuse();
        CachePeak after = proxies.call(service, proxy -> control.orderPeak(proxy, mode, seconds));
        String id = assessor.canonical(service);
        String setting = mode.equals("auto") ? mode : mode + " for " + seconds + " s";
        changes.record(
                new Change.Wish(id, "Peak or off-peak", "peak", null, setting, null, null, null),
                caller.name(),
                null);
        audit.done(caller, "cache.peak", id, null, setting);
        return after;
    }

    /** Truncates a value to the 2,000 characters that a change stores. */
    private static @Nullable String cut(@Nullable String value) {
        return value == null || value.length() <= 2_000 ? value : value.substring(0, 1_999) + "…";
    }
}
