package dev.komainu.central.api.service;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.komainu.central.api.page.Members;
import dev.komainu.central.api.problem.ProblemException;
import dev.komainu.central.assessment.Assessor;
import dev.komainu.central.assessment.ServiceAssessment;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/**
 * The last minute of some services, for the rows that a page shows at the moment. They are no part
 * of the stream: every point of every service changes in each second, but a screen shows few rows.
 */
@RestController
class SparklinesController {

    /** Largest number of services in one request: more rows than a screen shows. */
    private static final int MOST = 100;

    private static final List<String> LINES =
            List.of("arrival", "processed", "response", "concurrent");

    private final Assessor assessor;

    SparklinesController(Assessor assessor) {
        this.assessor = assessor;
    }

    /** {@code Sparklines} of the contract. */
    @JsonInclude(JsonInclude.Include.ALWAYS)
    record Sparklines(String service, long second, Map<String, List<@Nullable Double>> lines) {}

    /** Returns the lines of the services that are known, in the order of the request. */
    @GetMapping("/api/v1/sparklines")
    List<Sparklines> sparklines(
            @RequestParam List<String> service,
            @RequestParam(required = false) @Nullable List<String> line) {
        if (service.isEmpty() || service.size() > MOST) {
            throw ProblemException.invalidField(
                    "service", service.size() + " services", "1 to " + MOST);
        }
        List<String> wanted = Members.checked("line", line, LINES);
        return service.stream()
                .flatMap(id -> assessor.find(id).stream())
                .map(each -> of(each, wanted.isEmpty() ? LINES : wanted))
                .toList();
    }

    private static Sparklines of(ServiceAssessment service, List<String> wanted) {
        Map<String, List<@Nullable Double>> all = service.sparklines();
        Map<String, List<@Nullable Double>> lines = new LinkedHashMap<>();
        for (String name : wanted) {
            List<@Nullable Double> line = all.get(name);
            if (line != null) {
                lines.put(name, line.stream().map(FleetRow::rounded).toList());
            }
        }
        return new Sparklines(service.profile().id(), service.second(), lines);
    }
}
