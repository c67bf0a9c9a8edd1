package dev.komainu.central.api.group;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.komainu.central.assessment.ServiceAssessment;
import dev.komainu.central.group.GroupFigures;
import dev.komainu.central.group.OddMember;
import dev.komainu.central.label.LabelSelector;
import dev.komainu.central.state.ServiceState;
import java.time.Instant;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * {@code Group} of the contract.
 *
 * @param name text of the selector
 * @param reporting members with packets in the window
 * @param at last second of the window
 * @param worst the member in the worst state
 * @param states members by state
 * @param sums of all members together
 * @param spread lowest, median and highest of the members, by figure
 * @param odd members that differ from their mirrors
 */
@JsonInclude(JsonInclude.Include.ALWAYS)
record GroupView(
        String name,
        int members,
        int reporting,
        Instant at,
        int seconds,
        Worst worst,
        Map<String, Integer> states,
        GroupFigures sums,
        Map<String, Spread> spread,
        Capacity capacity,
        List<OddMember> odd) {

    /** The member in the worst state. */
    record Worst(String service, String name, ServiceState state) {}

    /** The range of one figure over the members that have it. */
    record Spread(double least, double median, double most) {}

    /**
     * The capacity of a group.
     *
     * @param rate sum of the known capacities in requests a second; absent when none is known
     * @param known members whose capacity is known
     */
    @JsonInclude(JsonInclude.Include.ALWAYS)
    record Capacity(@Nullable Double rate, int known) {

        static Capacity of(List<MemberView> members) {
            double[] known = members.stream()
                    .map(MemberView::capacity)
                    .filter(Objects::nonNull)
                    .mapToDouble(Double::doubleValue)
                    .toArray();
            return new Capacity(
                    known.length == 0 ? null : Arrays.stream(known).sum(), known.length);
        }
    }

    /**
     * One member.
     *
     * @param share of the requests of the group; absent without requests
     * @param capacity requests a second at its knee; absent when not known
     * @param reports whether it has packets in the window
     */
    @JsonInclude(JsonInclude.Include.ALWAYS)
    record MemberView(
            String service,
            String name,
            String kind,
            @Nullable String node,
            ServiceState state,
            GroupFigures figures,
            @Nullable Double share,
            @Nullable Double capacity,
            boolean reports) {}

    private static final Map<String, Function<GroupFigures, @Nullable Double>> SPREAD_FIGURES =
            spreadFigures();

    private static Map<String, Function<GroupFigures, @Nullable Double>> spreadFigures() {
        Map<String, Function<GroupFigures, @Nullable Double>> figures = new LinkedHashMap<>();
        figures.put("arrivalPerSecond", GroupFigures::arrivalPerSecond);
        figures.put("processedPerSecond", GroupFigures::processedPerSecond);
        figures.put("concurrent", GroupFigures::concurrent);
        figures.put("trafficBytesPerSecond", GroupFigures::trafficBytesPerSecond);
        figures.put("failureShare", GroupFigures::failureShare);
        figures.put("responseP50Millis", GroupFigures::responseP50Millis);
        figures.put("responseP95Millis", GroupFigures::responseP95Millis);
        return figures;
    }

    static GroupView of(
            LabelSelector selector,
            List<ServiceAssessment> services,
            List<MemberView> members,
            long end,
            int seconds,
            GroupFigures sums,
            List<OddMember> odd) {
        ServiceAssessment worst = services.getFirst();
        Map<String, Integer> states = new LinkedHashMap<>();
        services.forEach(each -> states.merge(each.judgement().state().label(), 1, Integer::sum));
        return new GroupView(
                selector.toString(),
                services.size(),
                (int) members.stream().filter(MemberView::reports).count(),
                Instant.ofEpochSecond(end),
                seconds,
                new Worst(
                        worst.profile().id(),
                        worst.profile().name(),
                        worst.judgement().state()),
                states,
                sums,
                spread(members),
                Capacity.of(members),
                odd);
    }

    private static Map<String, Spread> spread(List<MemberView> members) {
        Map<String, Spread> spread = new LinkedHashMap<>();
        SPREAD_FIGURES.forEach((name, figure) -> {
            double[] values = members.stream()
                    .filter(MemberView::reports)
                    .map(member -> figure.apply(member.figures()))
                    .filter(Objects::nonNull)
                    .mapToDouble(Double::doubleValue)
                    .sorted()
                    .toArray();
            if (values.length > 0) {
                int middle = values.length / 2;
                spread.put(
                        name,
                        new Spread(
                                values[0],
                                values.length % 2 == 1
                                        ? values[middle]
                                        : (values[middle - 1] + values[middle]) / 2,
                                values[values.length - 1]));
            }
        });
        return spread;
    }
}
