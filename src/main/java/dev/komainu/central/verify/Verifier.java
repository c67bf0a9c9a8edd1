package dev.komainu.central.verify;

import dev.komainu.central.assessment.Assessment;
import dev.komainu.central.assessment.AssessmentListener;
import dev.komainu.central.assessment.ServiceAssessment;
import dev.komainu.central.change.Change;
import dev.komainu.central.change.Changes;
import dev.komainu.central.diagnosis.Diagnosis;
import dev.komainu.central.diagnosis.DiagnosisArchive;
import dev.komainu.central.diagnosis.Diagnostician;
import dev.komainu.central.fleet.ServiceProfile;
import dev.komainu.central.indices.LiveIndices;
import dev.komainu.central.indices.SeriesReader;
import dev.komainu.central.state.ServiceState;
import dev.komainu.central.state.StateHistory;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;
import org.springframework.stereotype.Component;

/**
 * The verification runs: starts one with each recorded change, finds the runs whose time is over,
 * and evaluates them. Runs are stored completely. A run that was open when the service stopped
 * continues at the next start, with the stored windows.
 */
@Component
public class Verifier implements AssessmentListener, SmartLifecycle {

    /** Delay of data: windows arrive late by batching, host samples by their interval. */
    private static final long LATE_SECONDS = 15;

    /**
     * Time that a run waits for a delayed source, after its own end or the start of this service.
     */
    private static final long PATIENCE_SECONDS = 90;

    /** Tolerance for a run's start in the future. Above it, the clock was set back since. */
    private static final long AHEAD_SECONDS = 60;

    private static final Logger LOG = LoggerFactory.getLogger(Verifier.class);

    private final VerifySettings settings;
    private final Verifications runs;
    private final Changes changes;
    private final VerificationPlanner planner;
    private final SeriesReader series;
    private final LiveIndices live;
    private final Diagnostician diagnostician;
    private final DiagnosisArchive archive;
    private final Clock clock;
    private final Consumer<Change> recorded = this::onChange;
    private final List<Consumer<Verification>> listeners = new CopyOnWriteArrayList<>();
    private final Map<Long, Verification> open = new ConcurrentHashMap<>();
    /** Ids of the runs whose evaluation is in progress. */
    private final Map<Long, Boolean> evaluating = new ConcurrentHashMap<>();

    private final long startSecond;
    private volatile Assessment latest;
    private volatile @Nullable ExecutorService evaluator;

    public Verifier(
            VerifySettings settings,
            Verifications runs,
            Changes changes,
            SeriesReader series,
            LiveIndices live,
            Diagnostician diagnostician,
            DiagnosisArchive archive,
            StateHistory history,
            Clock clock) {
        this.settings = settings;
        this.runs = runs;
        this.changes = changes;
        this.planner = new VerificationPlanner(settings, changes, history);
        this.series = series;
        this.live = live;
        this.diagnostician = diagnostician;
        this.archive = archive;
        this.clock = clock;
        this.startSecond = clock.instant().getEpochSecond();
        this.latest = Assessment.nothingYet(clock.instant());
        runs.open().forEach(run -> open.put(run.id(), run));
    }

    /**
     * Adds a listener.
     *
     * @param listener called when a run starts, each second while it runs, and when it ends; must
     *     return at once
     */
    public void addListener(Consumer<Verification> listener) {
        listeners.add(listener);
    }

    /** The requested lengths; for absent ones the settings apply. */
    public record Lengths(
            @Nullable Duration baseline,
            @Nullable Duration settle,
            @Nullable Duration after) {
        public static final Lengths DEFAULT = new Lengths(null, null, null);
    }

    private void onChange(Change change) {
        if (change.by().equals(Change.AGENT) || change.isNote()) {
            return;
        }
        if (!settings.automatic() || latest.service(change.wish().service()) == null) {
            return;
        }
        try {
            begin(change, change.by(), Lengths.DEFAULT);
        } catch (RuntimeException e) {
            LOG.warn("Change {} is not verified: {}", change.id(), e.toString(), e);
        }
    }

    /**
     * Starts a run for a change and ends an open run of the same service. A run of the same change
     * is repeated on request; for another change, the effects of the two cannot be separated.
     */
    public Verification begin(Change change, String by, Lengths lengths) {
        Instant now = clock.instant().truncatedTo(ChronoUnit.MICROS);
        String service = change.wish().service();
        VerificationPlan plan = planner.plan(change, lengths);
        ServiceAssessment found = latest.service(service);
        ServiceState state =
                found == null ? ServiceState.UNKNOWN : found.judgement().state();
        for (Verification other : open.values()) {
            if (other.service().equals(service)) {
                end(
                        other,
                        Comparison.none(VerdictReason.ANOTHER_CHANGE, other.stateBefore(), state));
            }
        }
        Verification run = runs.begin(
                service,
                change.id(),
                by,
                now,
                plan,
                planner.stateBefore(service, plan, state),
                diagnosis(change, found, now));
        open.put(run.id(), run);
        notifyListeners(run);
        return run;
    }

    private @Nullable Diagnosis diagnosis(
            Change change, @Nullable ServiceAssessment found, Instant now) {
        String diagnosisId = change.wish().diagnosisId();
        Diagnosis diagnosis =
                diagnosisId == null ? null : archive.find(diagnosisId).orElse(null);
        if (diagnosis != null) {
            return diagnosis;
        }
        if (found == null) {
            return null;
        }
        ServiceProfile profile = found.profile();
        return diagnostician.diagnose(
                profile,
                found.judgement(),
                live.view(profile.id(), profile.node(), profile.limits(), found.second()),
                now);
    }

    @Override
    public void assessed(Assessment assessment) {
        latest = assessment;
        ExecutorService thread = evaluator;
        if (open.isEmpty() || thread == null) {
            return;
        }
        long now = assessment.at().getEpochSecond();
        for (Verification run : open.values()) {
            if (isDue(run, now)) {
                if (evaluating.putIfAbsent(run.id(), true) == null) {
                    thread.execute(() -> evaluate(run));
                }
            } else {
                notifyListeners(run);
            }
        }
    }

    /** Reports whether all sources have reported the last second, or had the time to. */
    private boolean isDue(Verification run, long now) {
        if (isAhead(run, now)) {
            return true;
        }
        long over = Math.max(run.plan().afterTo(), startSecond);
        if (now >= over + PATIENCE_SECONDS) {
            return true;
        }
        long newest = live.newestSecond(run.service());
        return newest >= run.plan().afterTo() && now >= over + LATE_SECONDS;
    }

    /**
     * Reports whether a run's start is in the future, because the clock was set back. The run would
     * stay open until the clock reaches that time again, and then compare other seconds.
     */
    private static boolean isAhead(Verification run, long now) {
        return run.started().getEpochSecond() > now + AHEAD_SECONDS;
    }

    private void evaluate(Verification run) {
        try {
            ServiceAssessment found = latest.service(run.service());
            ServiceState state =
                    found == null ? ServiceState.UNKNOWN : found.judgement().state();
            end(
                    run,
                    found == null
                            ? Comparison.none(VerdictReason.NO_DATA, run.stateBefore(), state)
                            : compare(run, found));
        } catch (RuntimeException e) {
            // The run stays open and is evaluated again at the next tick.
            LOG.warn("Verification {} could not be evaluated: {}", run.id(), e.toString(), e);
        } finally {
            evaluating.remove(run.id());
        }
    }

    private Comparison compare(Verification run, ServiceAssessment found) {
        VerificationPlan plan = run.plan();
        ServiceState state = found.judgement().state();
        if (planner.isDisturbed(run)) {
            return Comparison.none(VerdictReason.ANOTHER_CHANGE, run.stateBefore(), state);
        }
        long now = clock.instant().getEpochSecond();
        if (isAhead(run, now)) {
            return Comparison.none(VerdictReason.NO_DATA, run.stateBefore(), state);
        }
        long from = plan.baselineFrom() - Stretch.SMOOTH_SECONDS;
        MeasuredStretches measured = new MeasuredStretches(series.read(
                found.profile(), from, plan.afterTo(), 1, MeasuredStretches.INDICES, false, now));
        return Comparison.of(
                measured.stretch(plan.baselineFrom(), plan.baselineTo()),
                measured.stretch(plan.afterFrom(), plan.afterTo()),
                run.stateBefore(),
                state,
                run.id());
    }

    private void end(Verification run, Comparison result) {
        Instant now = clock.instant().truncatedTo(ChronoUnit.MICROS);
        open.remove(run.id());
        if (runs.end(run.id(), now, result)) {
            notifyListeners(new Verification(
                    run.id(),
                    run.service(),
                    run.changeId(),
                    run.by(),
                    run.started(),
                    run.plan(),
                    run.stateBefore(),
                    now,
                    result));
        }
    }

    private void notifyListeners(Verification run) {
        for (Consumer<Verification> listener : listeners) {
            try {
                listener.accept(run);
            } catch (RuntimeException e) {
                LOG.warn("A listener failed at verification {}: {}", run.id(), e.toString(), e);
            }
        }
    }

    @Override
    public synchronized void start() {
        evaluator = Executors.newSingleThreadExecutor(
                Thread.ofVirtual().name("verification").factory());
        changes.addListener(recorded);
    }

    @Override
    public synchronized void stop() {
        changes.removeListener(recorded);
        ExecutorService thread = evaluator;
        evaluator = null;
        if (thread != null) {
            thread.shutdownNow();
        }
    }

    @Override
    public synchronized boolean isRunning() {
        return evaluator != null;
    }
}
