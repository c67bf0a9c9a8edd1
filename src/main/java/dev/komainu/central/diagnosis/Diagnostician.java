package dev.komainu.central.diagnosis;

import dev.komainu.central.advice.AdviceCatalogue;
import dev.komainu.central.fleet.ServiceProfile;
import dev.komainu.central.indices.Evidence;
import dev.komainu.central.indices.IndexCatalogue;
import dev.komainu.central.indices.MeasurementView;
import dev.komainu.central.state.Judgement;
import dev.komainu.central.state.Rule;
import dev.komainu.central.state.RulesByService;
import dev.komainu.central.state.ServiceState;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;

/**
 * Walks the flowchart for a service and asks the advice book at its leaves. Stateless; any thread.
 */
@Component
public final class Diagnostician {

    private final Flowchart chart;
    private final AdviceCatalogue book;
    private final RulesByService rules;

    /** @param rules those the state model judges by, with each service's own thresholds */
    public Diagnostician(IndexCatalogue catalogue, RulesByService rules) {
        this.chart = Flowchart.load(catalogue);
        this.book = new AdviceCatalogue(catalogue);
        this.rules = rules;
    }

    public Flowchart flowchart() {
        return chart;
    }

    public AdviceCatalogue book() {
        return book;
    }

    public Diagnosis diagnose(
            ServiceProfile service, Judgement judgement, MeasurementView view, Instant at) {
        return diagnose(service, judgement, view, at, List.of(), DiagnosisWhatIf.NOTHING, null);
    }

    /**
     * @param overrides overriding answers by decision
     * @param whatIf hypothetical thresholds and answers for this walk
     * @param last the service's newest change; absent when there is none, or it was not read
     */
    public Diagnosis diagnose(
            ServiceProfile service,
            Judgement judgement,
            MeasurementView view,
            Instant at,
            List<DecisionOverride> overrides,
            DiagnosisWhatIf whatIf,
            FailureClues.@Nullable LastChange last) {
        Rule rule = rules.of(service.id()).stream()
                .filter(each -> each.id().equals(judgement.rule()))
                .findFirst()
                .orElse(null);
        Architecture architecture = ArchitectureDetection.of(service, view);
        List<Evidence> clues = judgement.state() == ServiceState.FAILING
                ? FailureClues.of(service, view, judgement.sinceSecond(), last)
                : List.of();
        FlowchartWalk walk = new FlowchartWalk(
                        chart, judgement, view, rule, architecture, overrides, whatIf, clues)
                .walk();
        return new Diagnosis(
                null,
                service.id(),
                at,
                null,
                judgement.state(),
                judgement.cause(),
                chart.version(),
                walk.path(),
                walk.leaves(),
                walk.decisions(),
                book.advise(service, walk.leaves(), view),
                system(service),
                book.adviseElsewhere(service, walk.leaves(), view),
                book.obsolete(service, walk.leaves()),
                architecture);
    }

    private static String system(ServiceProfile service) {
        String version = service.version() == null ? "" : " " + service.version();
        String host = service.node() == null ? "" : ", Linux, " + service.node();
        return service.kind() + version + host;
    }
}
