package dev.komainu.central.sweep;

import dev.komainu.central.assessment.ServiceAssessment;
import dev.komainu.central.fleet.OriginSide;
import dev.komainu.central.fleet.ServiceProfile;
import dev.komainu.central.indices.Condition;
import dev.komainu.central.indices.IndexCatalogue;
import dev.komainu.central.recording.RecordingReader;
import dev.komainu.central.replay.RecordedCentre;
import dev.komainu.central.state.CollectorPresence;
import dev.komainu.central.state.Rule;
import dev.komainu.central.state.RuleSet;
import dev.komainu.central.state.ServiceState;
import dev.komainu.central.state.StateModel;
import dev.komainu.central.sweep.ExpectedStates.Fault;
import dev.komainu.central.sweep.ReadValues.ReadValue;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The sweep over one recording. The recording is replayed once; then each service is judged with
 * each threshold that differs from the one in use in a second in which it can decide.
 */
final class RecordingSweep {

    private final RuleSet ruleSet;
    private final IndexCatalogue catalogue;
    private final List<SweptMark> marks;
    private final List<ReadValue> values;
    private final boolean complete;
    private final AtomicLong judgements = new AtomicLong();
    private final AtomicLong differences = new AtomicLong();

    /**
     * Creates a sweep.
     *
     * @param complete whether each service is judged with every threshold, also where it cannot
     *     decide
     */
    RecordingSweep(
            RuleSet ruleSet, IndexCatalogue catalogue, List<SweptMark> marks, boolean complete) {
        this.ruleSet = ruleSet;
        this.catalogue = catalogue;
        this.marks = marks;
        this.values = ReadValues.of(ruleSet, catalogue);
        this.complete = complete;
    }

    /** Returns the judgements so far, one a service and second. */
    long judgements() {
        return judgements.get();
    }

    /**
     * Returns the seconds so far in which the columns gave another state than the replay, with the
     * thresholds in use. 0 unless the model reads something that the columns do not hold.
     */
    long differences() {
        return differences.get();
    }

    /**
     * Sweeps a recording.
     *
     * @param threads for the services
     */
    List<SweepRow> run(Path recording, ExecutorService threads)
            throws IOException, InterruptedException {
        ExpectedStates expected = ExpectedStates.of(recording);
        List<Future<List<SweepRow>>> running = new ArrayList<>();
        for (ServiceColumns service : replay(recording, expected)) {
            List<Fault> faults =
                    expected == null ? null : expected.services().get(service.service());
            running.add(threads.submit(() -> sweep(service, faults)));
        }
        List<SweepRow> rows = new ArrayList<>();
        try {
            for (Future<List<SweepRow>> each : running) {
                rows.addAll(each.get());
            }
        } catch (ExecutionException e) {
            throw new IllegalStateException(recording.toString(), e.getCause());
        } finally {
            running.forEach(each -> each.cancel(true));
        }
        return rows;
    }

    /** The inputs of a judgement whose state is not known yet. */
    private record Pending(
            ServiceColumns columns,
            long second,
            long hostSecond,
            String kind,
            CollectorPresence presence,
            boolean held) {}

    /** Replays a recording, and notes what the model reads. */
    private List<ServiceColumns> replay(Path recording, @Nullable ExpectedStates expected)
            throws IOException {
        Map<String, ServiceColumns> services = new LinkedHashMap<>();
        Map<String, Pending> pending = new HashMap<>();
        RecordedCentre centre = new RecordedCentre(catalogue, new StateModel(ruleSet));
        centre.listenToInputs((profile, view, presence, held) -> {
            if (isSwept(profile, expected)) {
                ServiceColumns columns = services.computeIfAbsent(
                        profile.id(), id -> new ServiceColumns(id, catalogue, values));
                columns.note(view);
                pending.put(
                        profile.id(),
                        new Pending(
                                columns,
                                view.second(),
                                view.hostSecond(),
                                profile.kind(),
                                presence,
                                held));
            }
        });
        centre.listen(assessment -> {
            long atMicros = assessment.at().toEpochMilli() * 1_000;
            for (ServiceAssessment service : assessment.services()) {
                Pending inputs = pending.remove(service.profile().id());
                if (inputs != null) {
                    inputs.columns()
                            .judged(
                                    atMicros,
                                    inputs.second(),
                                    inputs.hostSecond(),
                                    inputs.kind(),
                                    inputs.presence(),
                                    inputs.held(),
                                    service.judgement().state());
                }
            }
        });
        new RecordingReader(recording).read(centre::accept);
        return List.copyOf(services.values());
    }

    private static boolean isSwept(ServiceProfile profile, @Nullable ExpectedStates expected) {
        return expected == null
                ? OriginSide.proxyOf(profile.id()) == null
                : expected.services().containsKey(profile.id());
    }

    private List<SweepRow> sweep(ServiceColumns service, @Nullable List<Fault> faults) {
        List<SweepRow> rows = new ArrayList<>();
        ServiceState[] base = judge(service, new StateModel(ruleSet));
        ServiceState[] replayed = service.replayed();
        for (int tick = 0; tick < base.length; tick++) {
            if (base[tick] != replayed[tick]) {
                differences.incrementAndGet();
            }
        }
        rows.add(new SweepRow(
                SweepRow.BASE,
                SweptMark.AS_IT_IS,
                service.service(),
                SweepVerdict.of(base, service, faults)));
        boolean stops = StopSigns.in(service);
        for (int i = 0; i < marks.size(); i++) {
            SweptMark mark = marks.get(i);
            Exercise exercise = mark.isStopLimit()
                    ? new Exercise(stops, factors(mark, stops))
                    : exercise(mark, service);
            if (exercise.any()) {
                rows.add(new SweepRow(
                        i,
                        SweptMark.AS_IT_IS,
                        service.service(),
                        SweepVerdict.of(base, service, faults)));
            }
            for (int factor : complete ? factors(mark, true) : exercise.deciding()) {
                ServiceState[] states = judge(service, mark.model(ruleSet, factor));
                if (!Arrays.equals(states, base)) {
                    rows.add(new SweepRow(
                            i,
                            factor,
                            service.service(),
                            SweepVerdict.of(states, service, faults)));
                }
            }
        }
        return rows;
    }

    /**
     * The part of a threshold in the judgements of one service.
     *
     * @param any whether its rule held in some second, or another factor would have made it hold
     * @param deciding factors with which its condition has another result in some second in which
     *     the other conditions of the rule held
     */
    private record Exercise(boolean any, List<Integer> deciding) {}

    private ServiceState[] judge(ServiceColumns service, StateModel model) {
        judgements.addAndGet(service.ticks());
        return service.judge(model);
    }

    private static List<Integer> factors(SweptMark mark, boolean any) {
        List<Integer> factors = new ArrayList<>();
        for (int factor = 0; any && factor < SweptMark.FACTORS.size(); factor++) {
            if (mark.representative(factor) == factor && factor != SweptMark.AS_IT_IS) {
                factors.add(factor);
            }
        }
        return factors;
    }

    private Exercise exercise(SweptMark mark, ServiceColumns service) {
        Rule rule = mark.ruleOf(ruleSet);
        if (rule == null || !service.hasKindOf(rule)) {
            return new Exercise(false, List.of());
        }
        int position = 0;
        while (!rule.when().get(position).measure().equals(mark.measure())) {
            position++;
        }
        Condition usual = rule.when().get(position);
        BitSet seconds = service.decidedBy(rule, position);
        List<Integer> deciding = factors(mark, true).stream()
                .filter(factor -> service.differ(
                        usual, usual.against(mark.times(factor), usual.source()), seconds))
                .toList();
        return new Exercise(!deciding.isEmpty() || service.everHolds(usual, seconds), deciding);
    }
}
