package dev.komainu.central.api.cache;

import dev.komainu.central.api.problem.Problem;
import dev.komainu.central.api.problem.ProblemException;
import dev.komainu.central.assessment.Assessor;
import dev.komainu.central.assessment.ServiceAssessment;
import dev.komainu.central.caches.ControlEndpoints;
import dev.komainu.central.caches.ControlFailure;
import org.springframework.stereotype.Component;

/**
 * Asks a proxy of ours on a caller's behalf; what it does not answer becomes a problem the caller
 * can read.
 */
@Component
public class ProxyCalls {

    private final Assessor assessor;
    private final ControlEndpoints book;

    ProxyCalls(Assessor assessor, ControlEndpoints book) {
        this.assessor = assessor;
        this.book = book;
    }

    /** Something that asks a proxy. */
    @FunctionalInterface
    public interface Ask<T> {
        T of(ControlEndpoints.Entry proxy) throws ControlFailure;
    }

    /**
     * @throws ProblemException 404 for no proxy of ours, 409 for one that takes no orders, 502 for
     *     one that does not answer
     */
    <T> T ask(String service, Ask<T> question) {
        String id = known(service).profile().id();
        ControlEndpoints.Entry proxy = book.find(id, assessor::canonical)
                .orElseThrow(
                        () -> new ProblemException(
                                Problem.conflict(
                                        "cache-takes-no-orders",
                                        "service: " + id
                                                + " (expected: a line for it in the file of komainu.caches.file)")));
        return put(proxy, question);
    }

    /** @throws ProblemException 502 for one that does not answer, and whatever it refuses */
    public static <T> T put(ControlEndpoints.Entry proxy, Ask<T> question) {
        try {
            return question.of(proxy);
        } catch (ControlFailure e) {
            throw new ProblemException(problem(e));
        }
    }

    private static Problem problem(ControlFailure e) {
        return switch (e.kind()) {
            case UNREACHABLE ->
                Problem.of(502, "proxy-unreachable", "The proxy does not answer", e.getMessage());
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

    /** @throws ProblemException 404 */
    ServiceAssessment known(String service) {
        return assessor.find(service)
                .filter(ProxyCalls::isOurs)
                .orElseThrow(ProblemException.notFound("cache", service));
    }

    static boolean isOurs(ServiceAssessment service) {
        return service.profile().kind().equals("komainu");
    }
}
