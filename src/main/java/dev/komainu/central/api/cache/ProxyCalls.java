package dev.komainu.central.api.cache;

import dev.komainu.central.api.problem.Problem;
import dev.komainu.central.api.problem.ProblemException;
import dev.komainu.central.assessment.Assessor;
import dev.komainu.central.assessment.ServiceAssessment;
import dev.komainu.central.caches.ControlEndpoints;
import dev.komainu.central.caches.ControlFailure;
import org.springframework.stereotype.Component;

/**
 * The calls to a proxy's control endpoint on behalf of a client. A failed call becomes a problem
 * response.
 */
@Component
public class ProxyCalls {

    private final Assessor assessor;
    private final ControlEndpoints book;

    ProxyCalls(Assessor assessor, ControlEndpoints book) {
        this.assessor = assessor;
        this.book = book;
    }

    /** A call to a proxy. */
    @FunctionalInterface
    public interface Call<T> {
        T of(ControlEndpoints.Entry proxy) throws ControlFailure;
    }

    /**
     * Calls the proxy of a service. Blocks until it responds or a timeout.
     *
     * @throws ProblemException 404 when the service is not one of Komainu's proxies, 409 when it
     *     accepts no orders, 502 when it does not respond
     */
    <T> T call(String service, Call<T> call) {
        String id = require(service).profile().id();
        ControlEndpoints.Entry proxy = book.find(id, assessor::canonical)
                .orElseThrow(
                        () -> new ProblemException(
                                Problem.conflict(
                                        "cache-takes-no-orders",
                                        "service: " + id
                                                + " (expected: a line for it in the file of komainu.caches.file)")));
        return call(proxy, call);
    }

    /**
     * Calls a proxy. Blocks until it responds or a timeout.
     *
     * @throws ProblemException 502 when it does not respond, and the proxy's own refusals
     */
    public static <T> T call(ControlEndpoints.Entry proxy, Call<T> call) {
        try {
            return call.of(proxy);
        } catch (ControlFailure e) {
            throw new ProblemException(problem(e));
        }
    }

    private static Problem problem(ControlFailure e) {
        return switch (e.kind()) {
            case UNREACHABLE ->
                Problem.of(502, "proxy-unreachable", "The proxy does not respond", e.getMessage());
            case TOKEN ->
                Problem.of(
                        502,
                        "proxy-refused-token",
                        "The proxy refuses this service's token",
                        e.getMessage());
            case ORDER -> Problem.invalid(String.valueOf(e.getMessage()));
            case UNKNOWN -> Problem.of(404, "not-found", "Not found", e.getMessage());
            case OTHER -> Problem.of(502, "proxy-failed", "The proxy failed", e.getMessage());
        };
    }

    /**
     * Returns the assessment of a proxy.
     *
     * @throws ProblemException 404 when the service is not one of Komainu's proxies
     */
    ServiceAssessment require(String service) {
        return assessor.find(service)
                .filter(ProxyCalls::isOurs)
                .orElseThrow(ProblemException.notFound("cache", service));
    }

    static boolean isOurs(ServiceAssessment service) {
        return service.profile().kind().equals("komainu");
    }
}
