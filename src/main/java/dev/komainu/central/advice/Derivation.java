package dev.komainu.central.advice;

import dev.komainu.central.fleet.ServiceProfile;
import dev.komainu.central.indices.Condition;
import dev.komainu.central.indices.Evidence;
import dev.komainu.central.indices.MeasurementView;
import dev.komainu.central.indices.Text;
import dev.komainu.telemetry.record.ServiceSighting.Setting;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** One item worked out for one server: current value, proposed value, texts and commands with both filled in. */
final class Derivation {

    /** Proposals follow from the last minute: long enough for a peak to show, short enough to be about now. */
    private static final int WINDOW_SECONDS = 60;

    private static final Pattern PLACE = Pattern.compile("\\{([$A-Za-z][$A-Za-z0-9_.:-]*)}");
    private static final Pattern NUMBER = Pattern.compile("^\\s*([0-9]+(?:\\.[0-9]+)?)");

    private final ServiceProfile service;
    private final MeasurementView view;
    private final AdviceItem item;
    private final String leaf;
    private final @Nullable String current;
    private final @Nullable String source;
    private double wanted = Double.NaN;

    Derivation(ServiceProfile service, MeasurementView view, AdviceItem item, String leaf) {
        this.service = service;
        this.view = view;
        this.item = item;
        this.leaf = leaf;
        Setting found = service.setting(item.setting());
        current = found != null ? found.value() : item.otherwise();
        source = found != null ? found.source() : item.otherwise() == null ? null : "default";
    }

    /** The advice, or {@code null} when it does not apply, is satisfied already, or cannot be derived. */
    @Nullable
    Advice advice() {
        if (item.ruledOut(service)) {
            return null;
        }
        if (item.when() != null) {
            for (Condition condition : item.when()) {
                if (!condition.holds(view, view.second())) {
                    return null;
                }
            }
        }
        wanted = Math.ceil(Arithmetic.compute(item.proposed(), this::value));
        double now = number(current);
        if (!Double.isFinite(wanted) || wanted <= 0 || "unlimited".equals(current) || item.satisfied(now, wanted)) {
            return null;
        }
        List<Advice.Step> steps = item.steps().stream()
                .map(step -> new Advice.Step(
                        step.kind(), fill(step.text()), step.command() == null ? null : fill(step.command())))
                .toList();
        return new Advice(
                item.id(),
                leaf,
                fill(item.title()),
                item.setting(),
                current,
                source,
                proposed(),
                fill(item.derivation()),
                fill(item.cost()),
                fill(item.willNotFix()),
                Boolean.FALSE.equals(item.tried()) ? item.reference() + " (not tried by us)" : item.reference(),
                steps);
    }

    private String proposed() {
        return String.format(Locale.ROOT, "%.0f", wanted) + (item.unit() == null ? "" : item.unit());
    }

    private double value(String name) {
        if (name.equals("current")) {
            return number(current);
        }
        if (name.startsWith("$")) {
            Setting setting = service.setting(name.substring(1));
            return setting == null ? Double.NaN : number(setting.value());
        }
        return view.now(name, WINDOW_SECONDS);
    }

    private static double number(@Nullable String written) {
        if (written == null) {
            return Double.NaN;
        }
        Matcher matcher = NUMBER.matcher(written);
        return matcher.find() ? Double.parseDouble(matcher.group(1)) : Double.NaN;
    }

    private Text fill(Text text) {
        return Text.of(fill(text.en()), fill(text.ja()));
    }

    private String fill(String text) {
        Matcher matcher = PLACE.matcher(text);
        StringBuilder filled = new StringBuilder();
        while (matcher.find()) {
            matcher.appendReplacement(filled, Matcher.quoteReplacement(word(matcher.group(1), matcher.group())));
        }
        matcher.appendTail(filled);
        return filled.toString();
    }

    private String word(String name, String asWritten) {
        return switch (name) {
            case "proposed" -> proposed();
            case "current" -> current == null ? "?" : current;
            case "file" -> file();
            case "service" -> service.id();
            case "pid" ->
                service.processId() == null ? "PID" : service.processId().toString();
            default -> {
                if (name.startsWith("$")) {
                    Setting setting = service.setting(name.substring(1));
                    yield setting == null ? "?" : setting.value();
                }
                yield view.knows(name) ? Evidence.figure(view.now(name, WINDOW_SECONDS), view.unit(name)) : asWritten;
            }
        };
    }

    /** The file the value was read from, else where the book would put it. */
    private String file() {
        if (source != null && source.startsWith("/") && !source.startsWith("/proc/")) {
            int colon = source.lastIndexOf(':');
            return colon > 0 ? source.substring(0, colon) : source;
        }
        return item.file() == null ? "FILE" : item.file();
    }
}
