package dev.komainu.central.assessment;

import dev.komainu.central.fleet.ServiceProfile;
import dev.komainu.central.state.Judgement;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One service as it stands.
 *
 * @param second the second judged: the newest complete one heard of, seconds since the epoch
 * @param summary newest figures, means of ten seconds
 * @param sparklines {@code arrival}, {@code processed}, {@code response}, {@code concurrent}: 60
 *     points, newest last
 * @param values every index of this second that could be seen
 * @param underLoss whether the monitor lost packets in this second: figures from packets are then
 *     too low
 */
public record ServiceAssessment(
        ServiceProfile profile,
        long second,
        Judgement judgement,
        Summary summary,
        Map<String, List<@Nullable Double>> sparklines,
        Map<String, Double> values,
        boolean underLoss) {

    /** Means of the last ten seconds; absent where not observable. */
    public record Summary(
            @Nullable Double arrivalPerSecond,
            @Nullable Double connectionsPerSecond,
            @Nullable Double processedPerSecond,
            @Nullable Double errorsPerSecond,
            @Nullable Double concurrent,
            @Nullable Double responseP50Millis,
            @Nullable Double responseP95Millis,
            @Nullable Double trafficBytesPerSecond,
            @Nullable Double hitRatio) {}
}
