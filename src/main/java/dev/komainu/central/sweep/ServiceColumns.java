package dev.komainu.central.sweep;

import dev.komainu.central.indices.Condition;
import dev.komainu.central.indices.IndexCatalogue;
import dev.komainu.central.indices.MeasurementView;
import dev.komainu.central.state.CollectorPresence;
import dev.komainu.central.state.Rule;
import dev.komainu.central.state.ServiceState;
import dev.komainu.central.state.StateModel;
import dev.komainu.central.sweep.ReadValues.ReadValue;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One recorded service: the inputs of each judgement, with every value that the model reads.
 * Written by one thread, then read by any.
 */
final class ServiceColumns {

    /**
     * The inputs of one judgement.
     *
     * @param atMicros time of the tick
     * @param second the judged second
     * @param hostSecond newest second that a sample of the host describes
     * @param held whether the state is kept, as just after a start
     * @param replayed the state that the replay itself found
     */
    private record Judged(
            long atMicros,
            long second,
            long hostSecond,
            String kind,
            CollectorPresence presence,
            boolean held,
            ServiceState replayed) {}

    private record Entry(ReadValue value, ValueColumn column) {}

    private final String service;
    private final IndexCatalogue catalogue;
    private final List<Entry> entries = new ArrayList<>();
    private final Map<String, @Nullable ValueColumn[]> byMeasure = new HashMap<>();
    private final List<Judged> ticks = new ArrayList<>();
    private long base = Long.MIN_VALUE;

    ServiceColumns(String service, IndexCatalogue catalogue, List<ReadValue> values) {
        this.service = service;
        this.catalogue = catalogue;
        for (ReadValue value : values) {
            ValueColumn column = new ValueColumn();
            entries.add(new Entry(value, column));
            ValueColumn[] windows = byMeasure.get(value.measure());
            int room = Math.max(value.over() + 1, windows == null ? 0 : windows.length);
            @Nullable ValueColumn[] wider = new ValueColumn[room];
            if (windows != null) {
                System.arraycopy(windows, 0, wider, 0, windows.length);
            }
            wider[value.over()] = column;
            byMeasure.put(value.measure(), wider);
        }
    }

    String service() {
        return service;
    }

    /** Notes the values that one judgement can read; {@link #judged} follows. */
    void note(MeasurementView view) {
        long second = view.second();
        if (base == Long.MIN_VALUE) {
            base = second - 60;
        }
        int tick = ticks.size();
        for (Entry entry : entries) {
            ReadValue value = entry.value();
            for (int back = value.back() - 1; back >= 0; back--) {
                long at = second - back;
                if (at >= base) {
                    entry.column()
                            .note(
                                    (int) (at - base),
                                    tick,
                                    view.at(value.measure(), at, value.over()));
                }
            }
        }
    }

    void judged(
            long atMicros,
            long second,
            long hostSecond,
            String kind,
            CollectorPresence presence,
            boolean held,
            ServiceState replayed) {
        ticks.add(
                new Judged(atMicros, second, hostSecond, kind.intern(), presence, held, replayed));
    }

    int ticks() {
        return ticks.size();
    }

    long atMicros(int tick) {
        return ticks.get(tick).atMicros();
    }

    /** Returns the states that the replay itself found. */
    ServiceState[] replayed() {
        return ticks.stream().map(Judged::replayed).toArray(ServiceState[]::new);
    }

    /** Judges every tick. */
    ServiceState[] judge(StateModel model) {
        ServiceState[] states = new ServiceState[ticks.size()];
        for (int tick = 0; tick < states.length; tick++) {
            Judged judged = ticks.get(tick);
            int now = tick;
            MeasurementView view = MeasurementView.ofComputed(
                    catalogue,
                    service,
                    judged.second(),
                    judged.hostSecond(),
                    (index, end, over) -> value(index, end, over, now));
            states[tick] = (judged.held()
                            ? model.keepState(view)
                            : model.judge(judged.kind(), view, judged.presence()))
                    .state();
        }
        return states;
    }

    private double value(String index, long end, int over, int tick) {
        ValueColumn column = column(index, over);
        return column == null ? Double.NaN : column.at((int) (end - base), tick);
    }

    @Nullable
    ValueColumn column(String index, int over) {
        @Nullable ValueColumn[] windows = byMeasure.get(index);
        return windows == null || over >= windows.length ? null : windows[over];
    }

    /** Reports whether a rule is judged for this kind of server at any tick. */
    boolean hasKindOf(Rule rule) {
        String before = "";
        for (Judged judged : ticks) {
            if (!judged.kind().equals(before) && rule.appliesTo(judged.kind())) {
                return true;
            }
            before = judged.kind();
        }
        return false;
    }

    /**
     * Returns the seconds at which every condition of a rule but one held at some tick: only there
     * can that one decide.
     */
    BitSet decidedBy(Rule rule, int condition) {
        BitSet seconds = new BitSet();
        int length = entries.stream().mapToInt(e -> e.column().seconds()).max().orElse(0);
        seconds.set(0, length);
        for (int other = 0; other < rule.when().size(); other++) {
            Condition each = rule.when().get(other);
            ValueColumn column = column(each.measure(), each.seconds());
            if (other != condition && column != null) {
                for (int s = seconds.nextSetBit(0); s >= 0; s = seconds.nextSetBit(s + 1)) {
                    if (!column.ever(s, value -> holds(each, value))) {
                        seconds.clear(s);
                    }
                }
            }
        }
        return seconds;
    }

    /** Reports whether two forms of a condition differ in one of the seconds. */
    boolean differ(Condition one, Condition other, BitSet seconds) {
        ValueColumn column = column(one.measure(), one.seconds());
        if (column == null) {
            return false;
        }
        for (int s = seconds.nextSetBit(0); s >= 0; s = seconds.nextSetBit(s + 1)) {
            if (column.ever(s, value -> holds(one, value) != holds(other, value))) {
                return true;
            }
        }
        return false;
    }

    /** Reports whether a condition held in one of the seconds. */
    boolean everHolds(Condition condition, BitSet seconds) {
        ValueColumn column = column(condition.measure(), condition.seconds());
        return column != null
                && seconds.stream().anyMatch(s -> column.ever(s, value -> holds(condition, value)));
    }

    private static boolean holds(Condition condition, double value) {
        return Double.isNaN(value) ? condition.passesUnknown() : condition.compares(value);
    }
}
