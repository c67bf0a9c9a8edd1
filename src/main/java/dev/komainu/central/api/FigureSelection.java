package dev.komainu.central.api;

import dev.komainu.central.api.problem.BodyChecks;
import dev.komainu.central.assessment.ServiceAssessment;
import dev.komainu.central.indices.IndexCatalogue;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The services and indices that a scrape of {@code /metrics} asks for.
 *
 * @param services patterns of ids; empty: all services
 * @param indices names; empty: as many as fit, the most important first
 */
record FigureSelection(List<Pattern> services, Set<String> indices) {

    /** Letters of ids, and * for any number of characters. */
    private static final Pattern SERVICE = Pattern.compile("[\\w.:>\\[\\]*@-]{1,255}");

    /**
     * Reads the parameters.
     *
     * @throws dev.komainu.central.api.problem.ProblemException 400 with the position of each value
     *     that cannot be
     */
    static FigureSelection of(
            @Nullable List<String> services,
            @Nullable List<String> indices,
            IndexCatalogue catalogue) {
        BodyChecks checks = new BodyChecks();
        List<String> patterns = services == null ? List.of() : services;
        for (int i = 0; i < patterns.size(); i++) {
            checks.that(
                    SERVICE.matcher(patterns.get(i)).matches(),
                    "service[" + i + "]",
                    patterns.get(i),
                    "id of a service; * stands for any characters");
        }
        List<String> names = indices == null ? List.of() : indices;
        for (int i = 0; i < names.size(); i++) {
            checks.that(
                    catalogue.contains(names.get(i)),
                    "index[" + i + "]",
                    names.get(i),
                    "name from /api/v1/indices");
        }
        checks.orRefuse();
        return new FigureSelection(
                patterns.stream().map(FigureSelection::compiled).toList(), Set.copyOf(names));
    }

    private static Pattern compiled(String pattern) {
        return Pattern.compile(Pattern.quote(pattern).replace("*", "\\E.*\\Q"));
    }

    boolean accepts(ServiceAssessment service) {
        String id = service.profile().id();
        return services.isEmpty()
                || services.stream().anyMatch(pattern -> pattern.matcher(id).matches());
    }
}
