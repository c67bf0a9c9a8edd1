package dev.komainu.central.advice;

import dev.komainu.central.fleet.ServiceProfile;
import dev.komainu.central.indices.LocalizedText;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A text of the catalogue with {@code {placeholders}}. An unknown placeholder stays as it is; the
 * catalogue's test finds it.
 */
final class TextTemplate {

    static final Pattern PLACE =
            Pattern.compile("\\{([$A-Za-z][$A-Za-z0-9_.: -]*)(?:\\|([^}]*))?}");

    private final FormulaValues figures;
    private final ServiceProfile service;
    private final @Nullable String current;
    private final String proposed;
    private final @Nullable String file;

    TextTemplate(
            FormulaValues figures,
            ServiceProfile service,
            @Nullable String current,
            String proposed,
            @Nullable String file) {
        this.figures = figures;
        this.service = service;
        this.current = current;
        this.proposed = proposed;
        this.file = file;
    }

    LocalizedText fill(LocalizedText text) {
        return LocalizedText.of(fill(text.en()), fill(text.ja()));
    }

    String fill(String text) {
        Matcher matcher = PLACE.matcher(text);
        StringBuilder filled = new StringBuilder();
        while (matcher.find()) {
            String value = value(matcher.group(1));
            String otherwise = matcher.group(2);
            String put = value != null
                    ? value
                    : otherwise != null ? otherwise : unknown(matcher.group());
            matcher.appendReplacement(filled, Matcher.quoteReplacement(put));
        }
        matcher.appendTail(filled);
        return filled.toString();
    }

    /**
     * Returns a question mark for a setting that was not reported, and any other word as written.
     */
    private static String unknown(String asWritten) {
        return asWritten.startsWith("{$") ? "?" : asWritten;
    }

    private @Nullable String value(String name) {
        if (name.startsWith("$")) {
            return figures.setting(name.substring(1));
        }
        return switch (name) {
            case "proposed" -> proposed;
            case "current" -> current == null ? "?" : current;
            case "file" -> file == null ? "FILE" : file;
            case "service" -> service.id();
            case "unit" -> figures.serviceUnit();
            case "port" -> service.id().substring(service.id().lastIndexOf(':') + 1);
            case "pid" ->
                service.processId() == null ? "PID" : service.processId().toString();
            default -> {
                Double named = figures.named(name);
                yield named != null ? digits(named) : figures.measured(name);
            }
        };
    }

    private static String digits(double value) {
        if (Double.isNaN(value)) {
            return "?";
        }
        return Double.isInfinite(value)
                ? "unlimited"
                : String.format(Locale.ROOT, "%.0f", Math.ceil(value));
    }
}
