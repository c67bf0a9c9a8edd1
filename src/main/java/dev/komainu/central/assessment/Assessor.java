package dev.komainu.central.assessment;

import dev.komainu.central.fleet.Fleet;
import dev.komainu.central.fleet.OriginSide;
import dev.komainu.central.fleet.ServiceProfile;
import dev.komainu.central.indices.Baseline;
import dev.komainu.central.indices.BaselineLearner;
import dev.komainu.central.indices.BaselineStore;
import dev.komainu.central.indices.Deferred;
import dev.komainu.central.indices.IndexCatalogue;
import dev.komainu.central.indices.IndexDefinition;
import dev.komainu.central.indices.LiveIndices;
import dev.komainu.central.indices.MeasurementView;
import dev.komainu.central.label.ServiceLabelling;
import dev.komainu.central.label.ServiceLabels;
import dev.komainu.central.state.CollectorPresence;
import dev.komainu.central.state.Judgement;
import dev.komainu.central.state.StateModel;
import dev.komainu.central.state.Transition;
import dev.komainu.central.state.TransitionStore;
import dev.komainu.central.state.UnobservableState;
import dev.komainu.telemetry.record.HostSample;
import java.time.Clock;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The assessment of all services, once a second, published as one immutable object. {@link #tick}
 * belongs to one thread; the other methods may be called from any thread.
 */
public final class Assessor {

    /**
     * Seconds without a window after which a service counts as not reported; batching and transfer
     * delay windows.
     */
    static final int LATE_SECONDS = 10;

    /** Seconds ahead of this service's clock above which a source's clock is wrong. */
    private static final int AHEAD_SECONDS = 30;

    /** Seconds after a start before a source counts as missing: each needs the time to report. */
    static final int GRACE_SECONDS = 20;

    private static final int HOST_LATE_SECONDS = 25;
    private static final int SUMMARY_SECONDS = 10;
    private static final int BASELINE_SAVED_EVERY = 60;

    private static final Logger LOG = LoggerFactory.getLogger(Assessor.class);

    private final Fleet fleet;
    private final LiveIndices live;
    private final IndexCatalogue catalogue;
    private final StateModel model;
    private final TransitionStore history;
    private final BaselineStore baselines;
    private final Clock clock;
    private final ServiceLabelling labelling;
    private final BaselineLearner learner;
    private final List<AssessmentListener> listeners = new CopyOnWriteArrayList<>();
    private final List<JudgementInputListener> inputListeners = new CopyOnWriteArrayList<>();
    private long startSecond;
    private long lastTick = Long.MIN_VALUE;

    /**
     * Services whose newest second lies ahead of this service's clock. The assessment's thread
     * only.
     */
    private final Map<String, NewestSecond> aheadOfClock = new HashMap<>();

    private final Set<String> known = new HashSet<>();

    /** Nodes with an agent that was not silent at the last tick. */
    private volatile Set<String> agentNodes = Set.of();

    private long ticks;
    private volatile Assessment latest;

    /** Creates an assessor that knows only the labels that sources report. */
    public Assessor(
            Fleet fleet,
            LiveIndices live,
            IndexCatalogue catalogue,
            StateModel model,
            TransitionStore history,
            BaselineStore baselines,
            Clock clock) {
        this(fleet, live, catalogue, model, history, baselines, clock, ServiceLabelling.REPORTED);
    }

    public Assessor(
            Fleet fleet,
            LiveIndices live,
            IndexCatalogue catalogue,
            StateModel model,
            TransitionStore history,
            BaselineStore baselines,
            Clock clock,
            ServiceLabelling labelling) {
        this.fleet = fleet;
        this.live = live;
        this.catalogue = catalogue;
        this.model = model;
        this.history = history;
        this.baselines = baselines;
        this.clock = clock;
        this.labelling = labelling;
        this.learner = new BaselineLearner(live);
        this.startSecond = clock.millis() / 1_000;
        this.latest = Assessment.nothingYet(clock.instant());
    }

    /**
     * Reads what was stored about a service that was not known until now: its baseline, and its
     * last state.
     */
    private void resume(String id) {
        Baseline stored = baselines.find(id);
        if (stored != null) {
            live.baseline(id, stored);
        }
        Transition last = history.latest(id);
        if (last != null) {
            model.resume(id, last.to(), last.atSecond(), last.rule());
            model.restarted(id, history.restartSeconds(id));
        }
    }

    public void listen(AssessmentListener listener) {
        listeners.add(listener);
    }

    /** Adds a listener for the inputs of each judgement. */
    public void listenToInputs(JudgementInputListener listener) {
        inputListeners.add(listener);
    }

    /** Returns the newest assessment; never absent. */
    public Assessment latest() {
        return latest;
    }

    /** Returns the newest assessment of a service, by its id or any earlier id. */
    public Optional<ServiceAssessment> find(String id) {
        return Optional.ofNullable(latest.service(canonical(id)));
    }

    /** Returns the canonical id of a service, which is the key of all its data. */
    public String canonical(String id) {
        ServiceProfile profile = fleet.service(id);
        return profile == null ? id : profile.id();
    }

    /** Returns the measurements of a service as of its newest assessment. */
    public MeasurementView view(ServiceAssessment service) {
        ServiceProfile profile = service.profile();
        return live.view(profile.id(), profile.node(), profile.limits(), service.second());
    }

    /** Returns the states that cannot be judged for a service, with the missing collectors. */
    public List<UnobservableState> unobservable(ServiceAssessment service) {
        ServiceProfile profile = service.profile();
        long now = clock.millis() / 1_000 - 1;
        long newest = live.newestSecond(profile.id());
        boolean reports = newest != Long.MIN_VALUE && now - newest <= LATE_SECONDS;
        return model.unobservable(profile.kind(), view(service), presence(profile, reports, now));
    }

    /**
     * Judges all services now. Called once a second by one thread; a failure for one service does
     * not affect the others.
     */
    public void tick() {
        Instant at = clock.instant();
        long now = at.getEpochSecond() - 1;
        if (now < lastTick) {
            setBack(now);
        }
        lastTick = now;
        List<ServiceAssessment> services = new ArrayList<>();
        List<Transition> transitions = new ArrayList<>();
        Set<String> present = new HashSet<>();
        agentNodes = fleet.nodesOfAgents();
        for (ServiceProfile profile : fleet.services()) {
            present.add(profile.id());
            try {
                if (!known.contains(profile.id())) {
                    resume(profile.id());
                }
                ServiceAssessment assessed = assess(profile, now);
                services.add(assessed);
                Transition transition = assessed.judgement().transition();
                if (transition != null) {
                    transitions.add(transition);
                    history.keep(transition);
                }
            } catch (RuntimeException e) {
                LOG.warn("{} not judged: {}", profile.id(), e.toString(), e);
            }
        }
        removeGone(present);
        services.sort(Comparator.comparing(
                        (ServiceAssessment s) -> s.judgement().state().severity())
                .thenComparing(s -> -s.judgement().sinceSecond())
                .thenComparing(s -> s.profile().id()));
        Assessment assessment = new Assessment(at, services, fleet.sources(), transitions);
        latest = assessment;
        ticks++;
        for (AssessmentListener listener : listeners) {
            try {
                listener.assessed(assessment);
            } catch (RuntimeException e) {
                LOG.warn("A listener of assessments failed: {}", e.toString(), e);
            }
        }
    }

    /**
     * Handles a clock that was set back. Seconds that were judged come again: later times in memory
     * are cleared, so that the assessment continues at once instead of when the clock has caught
     * up. States stay.
     */
    private void setBack(long now) {
        LOG.warn(
                "The clock was set back by {} s; the assessment continues from here",
                lastTick - now);
        live.clearAfter(now);
        model.setBack(now);
        fleet.setBack();
        startSecond = Math.min(startSecond, now);
        aheadOfClock.clear();
    }

    /**
     * Handles a source whose clock was ahead and was corrected: it reports seconds before its
     * newest one, and these are accepted from now on.
     */
    private void putRight(String service, long now) {
        long newest = live.newestSecond(service);
        if (newest <= now + AHEAD_SECONDS) {
            aheadOfClock.remove(service);
            return;
        }
        NewestSecond before = aheadOfClock.get(service);
        if (before == null || before.newest() != newest) {
            aheadOfClock.put(service, new NewestSecond(newest, ticks));
        } else if (ticks - before.sinceTick() > LATE_SECONDS) {
            LOG.warn(
                    "{}: its source's clock was {} s ahead and was corrected",
                    service,
                    newest - now);
            live.clearAfter(service, now);
            model.setBack(service, now);
            aheadOfClock.remove(service);
        }
    }

    /**
     * The newest second of a service ahead of this service's clock.
     *
     * @param sinceTick tick at which it was first the newest
     */
    private record NewestSecond(long newest, long sinceTick) {}

    private ServiceAssessment assess(ServiceProfile profile, long now) {
        putRight(profile.id(), now);
        long newest = live.newestSecond(profile.id());
        boolean reports = newest != Long.MIN_VALUE && now - newest <= LATE_SECONDS;
        long second = reports ? newest : now;
        MeasurementView view = live.view(profile.id(), profile.node(), profile.limits(), second);
        boolean held = !reports && now - startSecond < GRACE_SECONDS;
        CollectorPresence presence = presence(profile, reports, now);
        inputListeners.forEach(listener -> listener.judging(profile, view, presence, held));
        Judgement judgement =
                held ? model.keepState(view) : model.judge(profile.kind(), view, presence);
        boolean normal = judgement.state() == dev.komainu.central.state.ServiceState.NORMAL;
        if (reports && learner.learn(view, normal) && ticks % BASELINE_SAVED_EVERY < 10) {
            baselines.save(profile.id(), live.baseline(profile.id()));
        }
        return new ServiceAssessment(
                profile,
                second,
                judgement,
                summary(view),
                Deferred.map(() -> sparklines(view)),
                Deferred.map(() -> values(view)),
                view.isUnderLoss(second, 1),
                labels(profile));
    }

    /** Returns the labels of a service; an origin side has those of its proxy too. */
    private ServiceLabels labels(ServiceProfile profile) {
        ServiceLabels own = labelling.of(profile);
        String proxyId = OriginSide.proxyOf(profile.id());
        ServiceProfile proxy = proxyId == null ? null : fleet.service(proxyId);
        return proxy == null ? own : own.or(labelling.of(proxy));
    }

    private CollectorPresence presence(ServiceProfile profile, boolean reports, long now) {
        String node = profile.node();
        HostSample sample = live.newestSample(node);
        boolean hostReports =
                sample != null && now - sample.atMicros() / 1_000_000 <= HOST_LATE_SECONDS;
        return new CollectorPresence(
                reports, hostReports, node, node != null && agentNodes.contains(node));
    }

    private void removeGone(Set<String> present) {
        live.forgetHosts((lastTick - Fleet.FORGET_HOURS * 3_600L) * 1_000_000L);
        for (String id : known) {
            if (!present.contains(id)) {
                model.forget(id);
                live.forget(id);
                learner.forget(id);
                aheadOfClock.remove(id);
            }
        }
        known.clear();
        known.addAll(present);
    }

    private static ServiceAssessment.Summary summary(MeasurementView view) {
        return new ServiceAssessment.Summary(
                now(view, "arrivalPerSecond"),
                now(view, "connectionsPerSecond"),
                now(view, "processedPerSecond"),
                now(view, "errorsPerSecond"),
                now(view, "concurrentMean"),
                now(view, "responseP50Millis"),
                now(view, "responseP95Millis"),
                now(view, "trafficDownBytesPerSecond"),
                now(view, "hitRatio"));
    }

    private static @Nullable Double now(MeasurementView view, String index) {
        double value = view.now(index, SUMMARY_SECONDS);
        return Double.isFinite(value) ? value : null;
    }

    private static Map<String, List<@Nullable Double>> sparklines(MeasurementView view) {
        Map<String, List<@Nullable Double>> lines = new LinkedHashMap<>();
        lines.put("arrival", view.sparkline("arrivalPerSecond", MeasurementView.SPARKLINE));
        lines.put("processed", view.sparkline("processedPerSecond", MeasurementView.SPARKLINE));
        lines.put("response", view.sparkline("responseP50Millis", MeasurementView.SPARKLINE));
        lines.put("concurrent", view.sparkline("concurrentMean", MeasurementView.SPARKLINE));
        return lines;
    }

    private Map<String, Double> values(MeasurementView view) {
        Map<String, Double> values = new LinkedHashMap<>();
        for (IndexDefinition index : catalogue.all()) {
            double value = view.now(index.name(), 1);
            if (Double.isFinite(value)) {
                values.put(index.name(), value);
            }
        }
        return values;
    }
}
