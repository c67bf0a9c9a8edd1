package dev.komainu.central.label;

import dev.komainu.telemetry.record.Label;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;

/**
 * A choice of services by their labels: all of {@code team=shop,tier=web}. Its text is the name of
 * the group that it means. Immutable.
 *
 * @param labels 1 to {@value #MOST}, in order of their keys; a service has all of them
 */
public record LabelSelector(List<Label> labels) {

    public static final int MOST = 5;

    /** Longest text of a selector, in characters. */
    public static final int MOST_CHARS = MOST * (2 * Label.MOST_CHARS + 2);

    /** The form of a selector in words. */
    public static final String FORM =
            "1 to " + MOST + " labels KEY=VALUE with different keys, separated by commas";

    public LabelSelector {
        labels = labels.stream().sorted(Comparator.comparing(Label::key)).toList();
    }

    /**
     * Parses a selector.
     *
     * @throws IllegalArgumentException naming the text and the expectation
     */
    public static LabelSelector parse(String text) {
        List<Label> labels = new ArrayList<>();
        for (String part : text.split(",", MOST + 1)) {
            labels.add(Label.parse(part.strip()));
        }
        long keys = labels.stream().map(Label::key).distinct().count();
        if (labels.size() > MOST || keys != labels.size()) {
            throw new IllegalArgumentException(text + " (expected: " + FORM + ")");
        }
        return new LabelSelector(labels);
    }

    /** Reports whether a text is a selector. */
    public static boolean isSelector(String text) {
        if (text.length() > MOST_CHARS) {
            return false;
        }
        try {
            parse(text);
            return true;
        } catch (IllegalArgumentException e) {
            return false;
        }
    }

    public boolean matches(ServiceLabels service) {
        return labels.stream().allMatch(service::has);
    }

    /** Returns the labels, separated by commas. */
    @Override
    public String toString() {
        return labels.stream().map(Label::toString).collect(Collectors.joining(","));
    }
}
