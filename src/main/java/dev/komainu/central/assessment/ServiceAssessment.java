package dev.komainu.central.assessment;

import dev.komainu.central.fleet.ServiceProfile;
import dev.komainu.central.label.ServiceLabels;
import dev.komainu.central.state.Judgement;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The assessment of one service.
 *
 * @param second the judged second: the newest complete one with data, seconds since the epoch
 * @param summary newest figures, means of ten seconds
 * @param sparklines {@code arrival}, {@code processed}, {@code response}, {@code concurrent}: 60
 *     points, newest last; computed when they are first read
 * @param values every observable index of this second; computed when they are first read
 * @param underLoss whether the monitor lost packets in this second: figures from packets are too
 *     low then
 * @param labels the labels that count
 */
public record ServiceAssessment(
        ServiceProfile profile,
        long second,
        Judgement judgement,
        Summary summary,
        Map<String, List<@Nullable Double>> sparklines,
        Map<String, Double> values,
        boolean underLoss,
        ServiceLabels labels) {

    /** Creates the assessment of a service without labels. */
    public ServiceAssessment(
            ServiceProfile profile,
            long second,
            Judgement judgement,
            Summary summary,
            Map<String, List<@Nullable Double>> sparklines,
            Map<String, Double> values,
            boolean underLoss) {
        this(
                profile,
                second,
                judgement,
                summary,
                sparklines,
                values,
                underLoss,
                ServiceLabels.NONE);
    }

    /** The means of the last ten seconds; absent when not observable. */
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
