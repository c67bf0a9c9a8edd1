package dev.komainu.central.fleet;

import dev.komainu.telemetry.record.Label;
import dev.komainu.telemetry.record.ServiceSighting.ReportedLabel;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * The labels of one service that sources report, by source. Those from before a restart of the
 * central service count until a source beside the server reports.
 *
 * <p>Guarded by the fleet's lock.
 */
final class LabelsBySource {

    private final Map<String, List<ReportedLabel>> bySource = new LinkedHashMap<>();
    private List<ReportedLabel> remembered;

    /**
     * Creates the labels after a restart.
     *
     * @param remembered labels stored in the control database, without their sources
     */
    LabelsBySource(List<ReportedLabel> remembered) {
        this.remembered = List.copyOf(remembered);
    }

    /**
     * Replaces one source's list.
     *
     * @param beside whether the source runs beside the server
     */
    void replace(String source, List<ReportedLabel> labels, boolean beside) {
        bySource.put(source, labels);
        if (beside) {
            remembered = List.of();
        }
    }

    /**
     * Returns the labels, each key once: those of settings before those of discovery, and the
     * source that reported first before the others.
     */
    List<ReportedLabel> all() {
        Map<String, ReportedLabel> all = new LinkedHashMap<>();
        every().filter(LabelsBySource::isOfSettings)
                .forEach(one -> all.putIfAbsent(one.key(), one));
        every().forEach(one -> all.putIfAbsent(one.key(), one));
        return all.values().stream().limit(Label.MOST_OF_A_SERVICE).toList();
    }

    private Stream<ReportedLabel> every() {
        return Stream.concat(bySource.values().stream().flatMap(List::stream), remembered.stream());
    }

    private static boolean isOfSettings(ReportedLabel label) {
        return label.source().equals(ReportedLabel.OF_SETTINGS);
    }
}
