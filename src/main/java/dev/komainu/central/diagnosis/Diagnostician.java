package dev.komainu.central.diagnosis;

import dev.komainu.central.advice.AdviceCatalogue;
import dev.komainu.central.fleet.ServiceProfile;
import dev.komainu.central.indices.Evidence;
import dev.komainu.central.indices.IndexCatalogue;
import dev.komainu.central.indices.LocalizedText;
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
 * The diagnosis of a service: walks the flowchart and collects the advice at its leaves. Stateless;
 * any thread.
 */
@Component
public final class Diagnostician {

    /** The text in place of figures where no capacity model exists yet. */
    public static final LocalizedText NO_CAPACITY = LocalizedText.of(
            "The capacity model has too little data yet: it needs loads of different height.",
            "キャパシティモデルのデータがまだ足りません。さまざまな高さの負荷が必要です。");

    /** A state is named so long after its onset, mostly. */
    private static final int NAMED_AFTER_SECONDS = 8;

    private static final int LONGEST_WINDOW_SECONDS = 3_600;

    private final Flowchart chart;
    private final AdviceCatalogue advice;
    private final RulesByService rules;

    /**
     * Loads the flowchart and the advice.
     *
     * @param rules the rules of the state model, with each service's own thresholds
     */
    public Diagnostician(IndexCatalogue catalogue, RulesByService rules) {
        this.chart = Flowchart.load(catalogue);
        this.advice = new AdviceCatalogue(catalogue);
        this.rules = rules;
    }

    public Flowchart flowchart() {
        return chart;
    }

    public AdviceCatalogue adviceCatalogue() {
        return advice;
    }

    public Diagnosis diagnose(
            ServiceProfile service, Judgement judgement, MeasurementView view, Instant at) {
        return diagnose(
                service,
                judgement,
                view,
                at,
                List.of(),
                DiagnosisWhatIf.NOTHING,
                null,
                NO_CAPACITY);
    }

    /**
     * Runs the flowchart for a service.
     *
     * @param overrides users' verdicts by decision
     * @param whatIf hypothetical thresholds and verdicts for this walk
     * @param last the service's newest change; absent when there is none, or it was not read
     * @param capacity figures of the capacity model, for the text about a bigger system
     */
    public Diagnosis diagnose(
            ServiceProfile service,
            Judgement judgement,
            MeasurementView view,
            Instant at,
            List<DecisionOverride> overrides,
            DiagnosisWhatIf whatIf,
            FailureClues.@Nullable LastChange last,
            LocalizedText capacity) {
        Rule rule = rules.of(service.id()).stream()
                .filter(candidate -> candidate.id().equals(judgement.rule()))
                .findFirst()
                .orElse(null);
        Architecture architecture = ArchitectureDetection.of(service, view);
        List<Evidence> clues = judgement.state() == ServiceState.FAILING
                ? FailureClues.of(service, view, judgement.sinceSecond(), last)
                : List.of();
        MeasurementView sinceOnset = view.within(secondsOfTrouble(judgement, view));
        FlowchartWalk walk = new FlowchartWalk(
                        chart, judgement, sinceOnset, rule, architecture, overrides, whatIf, clues)
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
                advice.advise(service, walk.leaves(), sinceOnset),
                system(service),
                advice.adviseElsewhere(service, walk.leaves(), view),
                advice.obsolete(service, walk.leaves()),
                advice.instructions(service, walk.leaves(), sinceOnset, capacity),
                architecture,
                null);
    }

    /**
     * Returns how long the trouble has lasted. In older seconds the load was lower: a question that
     * averages over them would be answered No, and a proposal would be too small.
     */
    private static int secondsOfTrouble(Judgement judgement, MeasurementView view) {
        return judgement.state() == ServiceState.NORMAL
                ? LONGEST_WINDOW_SECONDS
                : (int) Math.clamp(
                        view.second() - judgement.sinceSecond() + NAMED_AFTER_SECONDS,
                        NAMED_AFTER_SECONDS,
                        LONGEST_WINDOW_SECONDS);
    }

    private static String system(ServiceProfile service) {
        String version = service.version() == null ? "" : " " + service.version();
        String host = service.node() == null
                ? ""
                : ", " + AdviceCatalogue.systemName(service) + ", " + service.node();
        return service.kind() + version + host;
    }
}
