package dev.komainu.central.assessment;

import dev.komainu.central.fleet.Fleet;
import dev.komainu.central.fleet.ServiceProfile;
import dev.komainu.central.indices.BaselineLearner;
import dev.komainu.central.indices.BaselineTable;
import dev.komainu.central.indices.IndexCatalogue;
import dev.komainu.central.indices.IndexDefinition;
import dev.komainu.central.indices.LiveIndices;
import dev.komainu.central.indices.MeasurementView;
import dev.komainu.central.state.CollectorPresence;
import dev.komainu.central.state.Judgement;
import dev.komainu.central.state.StateHistory;
import dev.komainu.central.state.StateModel;
import dev.komainu.central.state.Transition;
import dev.komainu.central.state.UnobservableState;
import dev.komainu.telemetry.record.HostSample;
import java.time.Clock;
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
 * Judges every service once a second and publishes the whole. {@link #tick} belongs to one thread;
 * the rest to any.
 */
public final class Assessor {

    /**
     * Windows may be late by batching and the way here; after so long a service counts as unheard.
     */
    static final int LATE_SECONDS = 10;

    /** A second further ahead of our clock than this was told by a source whose clock is wrong. */
    private static final int AHEAD_SECONDS = 30;

    /** Time after a start before a source counts as missing: each needs the time to report. */
    static final int GRACE_SECONDS = 20;

    private static final int HOST_LATE_SECONDS = 25;
    private static final int SUMMARY_SECONDS = 10;
    private static final int BASELINE_SAVED_EVERY = 60;

    private static final Logger LOG = LoggerFactory.getLogger(Assessor.class);

    private final Fleet fleet;
    private final LiveIndices live;
    private final IndexCatalogue catalogue;
    private final StateModel model;
    private final StateHistory history;
    private final BaselineTable baselines;
    private final Clock clock;
    private final BaselineLearner lessons;
    private final List<AssessmentListener> listeners = new CopyOnWriteArrayList<>();
    private long startSecond;
    private long lastTick = Long.MIN_VALUE;

    /** Services whose newest second lies ahead of our clock. The assessment's thread only. */
    private final Map<String, Standing> standing = new HashMap<>();

    private final Set<String> known = new HashSet<>();
    private long ticks;
    private volatile Assessment latest;

    public Assessor(
            Fleet fleet,
            LiveIndices live,
            IndexCatalogue catalogue,
            StateModel model,
            StateHistory history,
            BaselineTable baselines,
            Clock clock) {
        this.fleet = fleet;
        this.live = live;
        this.catalogue = catalogue;
        this.model = model;
        this.history = history;
        this.baselines = baselines;
        this.clock = clock;
        this.lessons = new BaselineLearner(live);
        this.startSecond = clock.millis() / 1_000;
        this.latest = Assessment.nothingYet(clock.instant());
        baselines.all().forEach(live::baseline);
        for (Transition last : history.latest()) {
            model.resume(last.service(), last.to(), last.atSecond(), last.rule());
        }
    }

    public void listen(AssessmentListener listener) {
        listeners.add(listener);
    }

    /** The newest whole; never absent. */
    public Assessment latest() {
        return latest;
    }

    /** The newest word on a service, by its id or any id it was ever called. */
    public Optional<ServiceAssessment> find(String id) {
        return Optional.ofNullable(latest.service(canonical(id)));
    }

    /** The id everything about this service is kept under. */
    public String canonical(String id) {
        ServiceProfile profile = fleet.service(id);
        return profile == null ? id : profile.id();
    }

    /** The measurements of a service as its newest assessment saw them. */
    public MeasurementView view(ServiceAssessment service) {
        ServiceProfile profile = service.profile();
        return live.view(profile.id(), profile.node(), profile.limits(), service.second());
    }

    /** Which states cannot be told of a service, and what is missing for each. */
    public List<UnobservableState> blind(ServiceAssessment service) {
        ServiceProfile profile = service.profile();
        long now = clock.millis() / 1_000 - 1;
        long newest = live.newestSecond(profile.id());
        boolean heard = newest != Long.MIN_VALUE && now - newest <= LATE_SECONDS;
        return model.blind(profile.kind(), view(service), presence(profile, heard, now));
    }

    /**
     * Judges everything now. Called once a second by one thread; whatever fails for one service
     * spares the others.
     */
    public void tick() {
        long now = clock.millis() / 1_000 - 1;
        if (now < lastTick) {
            setBack(now);
        }
        lastTick = now;
        List<ServiceAssessment> services = new ArrayList<>();
        List<Transition> transitions = new ArrayList<>();
        Set<String> seen = new HashSet<>();
        for (ServiceProfile profile : fleet.services()) {
            seen.add(profile.id());
            try {
                ServiceAssessment assessed = assess(profile, now);
                services.add(assessed);
                Transition transition = assessed.judgement().transition();
                if (transition != null) {
                    transitions.add(transition);
                    history.keep(transition);
                }
            } catch (RuntimeException e) {
                LOG.warn("Could not judge {}: {}", profile.id(), e.toString(), e);
            }
        }
        forgetGone(seen);
        services.sort(Comparator.comparing(
                        (ServiceAssessment s) -> s.judgement().state().severity())
                .thenComparing(s -> -s.judgement().sinceSecond())
                .thenComparing(s -> s.profile().id()));
        Assessment whole = new Assessment(clock.instant(), services, fleet.sources(), transitions);
        latest = whole;
        ticks++;
        for (AssessmentListener listener : listeners) {
            try {
                listener.assessed(whole);
            } catch (RuntimeException e) {
                LOG.warn("A listener failed at an assessment: {}", e.toString(), e);
            }
        }
    }

    /**
     * The clock was set back. Seconds that were judged come again: what is remembered of them is
     * forgotten, so that judging goes on at once instead of when the clock is there again. States
     * stay.
     */
    private void setBack(long now) {
        LOG.warn("The clock was set back by {} s; judging goes on from here", lastTick - now);
        live.forgetAfter(now);
        model.setBack(now);
        fleet.setBack();
        startSecond = Math.min(startSecond, now);
        standing.clear();
    }

    /**
     * A source whose clock was ahead and was put right tells of seconds before its newest one; they
     * are taken from here on.
     */
    private void putRight(String service, long now) {
        long newest = live.newestSecond(service);
        if (newest <= now + AHEAD_SECONDS) {
            standing.remove(service);
            return;
        }
        Standing before = standing.get(service);
        if (before == null || before.newest() != newest) {
            standing.put(service, new Standing(newest, ticks));
        } else if (ticks - before.sinceTick() > LATE_SECONDS) {
            LOG.warn(
                    "{}: its source's clock was {} s ahead and is so no longer",
                    service,
                    newest - now);
            live.forgetAfter(service, now);
            model.setBack(service, now);
            standing.remove(service);
        }
    }

    /**
     * The newest second of a service ahead of our clock.
     *
     * @param sinceTick tick at which it was first seen to be the newest
     */
    private record Standing(long newest, long sinceTick) {}

    private ServiceAssessment assess(ServiceProfile profile, long now) {
        putRight(profile.id(), now);
        long newest = live.newestSecond(profile.id());
        boolean heard = newest != Long.MIN_VALUE && now - newest <= LATE_SECONDS;
        long second = heard ? newest : now;
        MeasurementView view = live.view(profile.id(), profile.node(), profile.limits(), second);
        Judgement judgement = !heard && now - startSecond < GRACE_SECONDS
                ? model.hold(view)
                : model.judge(profile.kind(), view, presence(profile, heard, now));
        boolean normal = judgement.state() == dev.komainu.central.state.ServiceState.NORMAL;
        if (heard && lessons.learn(view, normal) && ticks % BASELINE_SAVED_EVERY < 10) {
            baselines.save(profile.id(), live.baseline(profile.id()));
        }
        return new ServiceAssessment(
                profile,
                second,
                judgement,
                summary(view),
                sparklines(view),
                values(view),
                view.isUnderLoss(second, 1));
    }

    private CollectorPresence presence(ServiceProfile profile, boolean heard, long now) {
        String node = profile.node();
        HostSample sample = live.newestSample(node);
        boolean hostSeen =
                sample != null && now - sample.atMicros() / 1_000_000 <= HOST_LATE_SECONDS;
        return new CollectorPresence(
                heard, hostSeen, node, node != null && fleet.agentReports(node));
    }

    private void forgetGone(Set<String> seen) {
        for (String id : known) {
            if (!seen.contains(id)) {
                model.forget(id);
                live.forget(id);
                standing.remove(id);
            }
        }
        known.clear();
        known.addAll(seen);
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
