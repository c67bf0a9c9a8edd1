package dev.komainu.central.advice;

import dev.komainu.central.fleet.ServiceProfile;
import dev.komainu.telemetry.record.ServiceSighting.Setting;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A setting as discovery found it: the value in force and where it is written.
 *
 * <p>A source is {@code FILE:LINE}, behind which parentheses tell what was written there when it is
 * not what counts: {@code /etc/apache2/mods-enabled/mpm_event.conf:7 (500, changed by ServerLimit
 * 16)}, {@code /etc/nginx/nginx.conf:2 (auto)}. Sources without a file are {@code command line -p},
 * {@code environment NAME}, {@code /proc} paths and defaults.
 *
 * @param value in force; absent when unknown
 * @param source as discovery told it
 * @param file absent when it stands in none
 * @param line counted from 1
 * @param written in the file, where that is known
 * @param changedBy what made another value of it, absent when nothing did
 */
record FoundSetting(
        @Nullable String value,
        @Nullable String source,
        @Nullable String file,
        @Nullable Integer line,
        @Nullable String written,
        @Nullable String changedBy) {

    private static final Pattern PLACE = Pattern.compile("(/[^:]*):(\\d{1,9})(?: \\((.*)\\))?");
    private static final Pattern CHANGED = Pattern.compile("(\\S+), changed by (.*)");

    /** @param otherwise value when nothing is known; absent: unknown */
    static FoundSetting of(ServiceProfile service, String name, @Nullable String otherwise) {
        Setting setting = service.setting(name);
        // The kernel tells what counts, its files tell where that was written.
        Setting place = name.startsWith("sysctl:")
                ? service.setting("sysctl-file:" + name.substring(7))
                : setting;
        if (place == null) {
            return new FoundSetting(
                    setting != null ? setting.value() : otherwise,
                    setting != null ? setting.source() : otherwise == null ? null : "default",
                    null,
                    null,
                    null,
                    null);
        }
        String value = setting == null ? place.value() : setting.value();
        String source = setting == null ? place.source() : setting.source();
        Matcher matcher = PLACE.matcher(place.source());
        if (!matcher.matches() || place.source().startsWith("/proc/")) {
            return new FoundSetting(value, source, null, null, null, null);
        }
        String note = matcher.group(3);
        if (note != null && note.startsWith("default")) {
            return new FoundSetting(value, source, null, null, null, null);
        }
        String written = place.value();
        String changedBy = null;
        if (note != null) {
            Matcher changed = CHANGED.matcher(note);
            if (changed.matches()) {
                written = changed.group(1);
                changedBy = changed.group(2);
            } else if (note.matches("[\\w.]+")) {
                written = note;
            }
        }
        return new FoundSetting(
                value,
                source,
                matcher.group(1),
                Integer.valueOf(matcher.group(2)),
                written,
                changedBy);
    }

    /** Whether it was said when the server was started, which wins over its file. */
    boolean onCommandLine() {
        return source != null && source.startsWith("command line");
    }

    boolean inEnvironment() {
        return source != null && source.startsWith("environment ");
    }
}
