package dev.komainu.central.api.cache;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.komainu.central.access.Audit;
import dev.komainu.central.access.Caller;
import dev.komainu.central.access.Scope;
import dev.komainu.central.api.page.Cursor;
import dev.komainu.central.api.problem.BodyChecks;
import dev.komainu.central.api.problem.Problem;
import dev.komainu.central.api.problem.ProblemException;
import dev.komainu.central.assessment.Assessor;
import dev.komainu.central.assessment.ServiceAssessment;
import dev.komainu.central.caches.CacheContents;
import dev.komainu.central.caches.CachePurge;
import dev.komainu.central.caches.ControlEndpoints;
import dev.komainu.central.caches.ControlFailure;
import dev.komainu.central.caches.ProxyControl;
import dev.komainu.central.caches.ProxyFigures;
import dev.komainu.central.caches.ProxyPurges;
import dev.komainu.central.caches.PurgeResult;
import dev.komainu.central.caches.StoredObject;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.security.core.annotation.AuthenticationPrincipal;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** The caches of Komainu's proxies: state, contents and purges. */
@RestController
class CachesController {

    private static final Set<String> SORTS = Set.of("bytes", "objects", "hits", "name");
    private static final int MOST_TAGS = 256;

    private final Assessor assessor;
    private final ControlEndpoints book;
    private final ProxyControl control;
    private final ProxyPurges purges;
    private final Audit audit;
    private final ProxyCalls proxies;

    CachesController(
            Assessor assessor,
            ControlEndpoints book,
            ProxyControl control,
            ProxyPurges purges,
            Audit audit,
            ProxyCalls proxies) {
        this.assessor = assessor;
        this.proxies = proxies;
        this.book = book;
        this.control = control;
        this.purges = purges;
        this.audit = audit;
    }

    /**
     * One cache with the newest values from its control endpoint.
     *
     * @param control whether the proxy accepts orders of this service
     */
    @JsonInclude(JsonInclude.Include.ALWAYS)
    record CacheDetail(
            CacheView cache,
            ControlState control,
            Map<String, Double> figures,
            List<ProxyFigures.Origin> origins) {
        CacheDetail(CacheView cache, ControlState control, ProxyFigures newest) {
            this(cache, control, newest.numbers(), newest.origins());
        }
    }

    /**
     * The state of a control endpoint.
     *
     * @param detail reason why the proxy accepts no orders; absent when it does
     */
    @JsonInclude(JsonInclude.Include.ALWAYS)
    record ControlState(String state, @Nullable String detail) {}

    record PurgeRequest(
            @Nullable String url,
            @Nullable String prefix,
            @Nullable List<@Nullable String> tags,
            @Nullable Boolean all,
            @Nullable Boolean soft,
            @Nullable Boolean dryRun) {

        /**
         * Returns the checked purge.
         *
         * @throws ProblemException naming every field that is wrong
         */
        CachePurge checked() {
            boolean everything = Boolean.TRUE.equals(all);
            long named = Stream.of(url != null, prefix != null, tags != null, everything)
                    .filter(each -> each)
                    .count();
            boolean tagged = tags == null
                    || (!tags.isEmpty()
                            && tags.size() <= MOST_TAGS
                            && tags.stream()
                                    .allMatch(tag -> tag != null && tag.matches("[!-~]{1,256}")));
            BodyChecks checks = new BodyChecks()
                    .that(
                            named == 1,
                            "order",
                            named + " of url, prefix, tags, all",
                            "exactly one of them")
                    .that(
                            tagged,
                            "tags",
                            "wrong",
                            "1 to " + MOST_TAGS + " tags of visible ASCII characters");
            if (url != null) {
                checks.text("url", url, 16_384);
            }
            if (prefix != null) {
                checks.text("prefix", prefix, 16_384);
            }
            checks.orRefuse();
            return new CachePurge(
                    url,
                    prefix,
                    tags == null ? null : tags.stream().map(String::valueOf).toList(),
                    everything ? true : null,
                    Boolean.TRUE.equals(soft),
                    Boolean.TRUE.equals(dryRun));
        }
    }

    @GetMapping("/api/v1/caches")
    List<CacheView> caches() {
        return assessor.latest().services().stream()
                .filter(ProxyCalls::isOurs)
                .map(this::view)
                .toList();
    }

    @GetMapping("/api/v1/caches/{service}")
    CacheDetail cache(@PathVariable String service) {
        CacheView cache = view(proxies.require(service));
        ControlEndpoints.Entry proxy =
                book.find(cache.id(), assessor::canonical).orElse(null);
        if (proxy == null) {
            return new CacheDetail(
                    cache, new ControlState("not-configured", null), ProxyFigures.NONE);
        }
        try {
            ProxyFigures figures = control.figures(proxy);
            return new CacheDetail(
                    cache,
                    new ControlState(proxy.token() == null ? "read-only" : "ready", null),
                    figures);
        } catch (ControlFailure e) {
            String state = e.kind() == ControlFailure.Kind.TOKEN ? "token-refused" : "unreachable";
            return new CacheDetail(
                    cache, new ControlState(state, e.getMessage()), ProxyFigures.NONE);
        }
    }

    @GetMapping("/api/v1/caches/{service}/contents")
    CacheContents contents(
            @AuthenticationPrincipal Caller caller,
            @PathVariable String service,
            @RequestParam(defaultValue = "") String prefix,
            @RequestParam(defaultValue = "bytes") String sort,
            @RequestParam(defaultValue = "100") int limit,
            @RequestParam(required = false) @Nullable String cursor) {
        new BodyChecks()
                .that(SORTS.contains(sort), "sort", sort, "bytes, objects, hits or name")
                .optionalText("prefix", prefix, 16_384)
                .optionalText("cursor", cursor, 1_000)
                .orRefuse();
        int most = Cursor.limit(limit);
        return proxies.call(
                service,
                proxy -> control.contents(
                        proxy,
                        prefix,
                        sort,
                        most,
                        cursor,
                        caller.scopes().contains(Scope.CACHE_PURGE)));
    }

    @GetMapping("/api/v1/caches/{service}/object")
    StoredObject object(
            @AuthenticationPrincipal Caller caller,
            @PathVariable String service,
            @RequestParam String url) {
        new BodyChecks().text("url", url, 16_384).orRefuse();
        return proxies.call(
                service,
                proxy -> control.object(proxy, url, caller.scopes().contains(Scope.CACHE_PURGE)));
    }

    @PostMapping("/api/v1/caches/{service}/purges")
    PurgeResult purge(
            @AuthenticationPrincipal Caller caller,
            @PathVariable String service,
            @RequestHeader(name = "Idempotency-Key", required = false) @Nullable String key,
            @RequestBody PurgeRequest request) {
        new BodyChecks().optionalText("Idempotency-Key", key, 128).orRefuse();
        CachePurge order = request.checked();
        return switch (proxies.call(
                service, proxy -> purges.send(proxy, order, caller.name(), key))) {
            case ProxyPurges.Outcome.Done done -> {
                PurgeResult result = done.result();
                if (!order.dryRun()) {
                    String summary = String.format(
                            Locale.ROOT,
                            "%s: %d of %d matches, %d bytes",
                            order.soft() ? "made stale" : "dropped",
                            result.purged(),
                            result.matched(),
                            result.bytes());
                    audit.done(
                            caller,
                            "cache.purge",
                            assessor.canonical(service) + " " + order.subject(),
                            null,
                            summary);
                }
                yield result;
            }
            case ProxyPurges.Outcome.Repeated repeated -> repeated.result();
            case ProxyPurges.Outcome.KeyReused reused ->
                throw new ProblemException(Problem.of(
                        422,
                        "idempotency-key-reused",
                        "The Idempotency-Key was used before with another body",
                        "Idempotency-Key: " + key + " (expected: a new key for each purge)"));
        };
    }

    private CacheView view(ServiceAssessment service) {
        return CacheView.of(
                service, book.find(service.profile().id(), assessor::canonical).isPresent());
    }
}
