package dev.komainu.agent.settings;

import dev.komainu.settings.Setting;
import dev.komainu.settings.SettingReader;
import dev.komainu.telemetry.record.Label;
import dev.komainu.telemetry.record.ServiceSighting.ReportedLabel;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The labels that the settings give to the services of this host.
 *
 * @param given at most {@link Label#MOST_OF_A_SERVICE} for each service
 */
public record LabelSettings(List<Given> given) {

    private static final Pattern PORT = Pattern.compile("(\\d{1,5}):(.+)");

    static final Setting<List<Given>> LABELS = Setting.of(
                    "labels", "KEY=VALUE or PORT:KEY=VALUE", Given::of)
            .option("--label")
            .label("[PORT:]KEY=VALUE")
            .words()
            .effect("Labels of this host's services, by which the central service forms groups")
            .detail("""
                    `team=shop` labels every service of this host, `8081:team=bank` the service at
                    port 8081; the label with a port has precedence. Keys and values have 1 to 63
                    characters: the key of a-z, 0-9 and `.` `_` `/` `-`, the value of letters,
                    digits and `.` `_` `:` `@` `/` `+` `-`. A service has at most 20 labels. The
                    central service has [rules and labels set by hand](../labels.md) besides.""");

    public LabelSettings {
        given = List.copyOf(given);
    }

    /**
     * A label.
     *
     * @param port the service's port; absent for every service
     */
    public record Given(@Nullable Integer port, Label label) {

        private static Given of(String text) {
            Matcher matcher = PORT.matcher(text);
            if (!matcher.matches()) {
                return new Given(null, Label.parse(text));
            }
            int port = Integer.parseInt(matcher.group(1));
            if (port < 1 || port > 65_535) {
                throw new IllegalArgumentException(text + " (expected: a port of 1 to 65535)");
            }
            return new Given(port, Label.parse(matcher.group(2)));
        }

        /** Returns the label as it is written in the settings. */
        @Override
        public String toString() {
            return port == null ? label.toString() : port + ":" + label;
        }
    }

    static LabelSettings read(SettingReader reader) {
        List<Given> given = reader.get(LABELS, List.of());
        long most = given.stream()
                .map(Given::port)
                .distinct()
                .mapToLong(port -> given.stream()
                        .filter(one -> one.port() == null || one.port().equals(port))
                        .map(one -> one.label().key())
                        .distinct()
                        .count())
                .max()
                .orElse(0);
        if (most > Label.MOST_OF_A_SERVICE) {
            reader.mistake(
                    LABELS, most + " labels of one service", "at most " + Label.MOST_OF_A_SERVICE);
        }
        return new LabelSettings(given);
    }

    /** Returns the labels of the service at a port. */
    public List<ReportedLabel> of(int port) {
        Map<String, String> labels = new LinkedHashMap<>();
        given.stream()
                .filter(one -> one.port() == null)
                .forEach(one -> labels.put(one.label().key(), one.label().value()));
        given.stream()
                .filter(one -> one.port() != null && one.port() == port)
                .forEach(one -> labels.put(one.label().key(), one.label().value()));
        return labels.entrySet().stream()
                .map(one ->
                        new ReportedLabel(one.getKey(), one.getValue(), ReportedLabel.OF_SETTINGS))
                .toList();
    }
}
