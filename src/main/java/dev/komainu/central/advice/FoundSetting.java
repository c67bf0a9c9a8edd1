package dev.komainu.central.advice;

import dev.komainu.central.fleet.ServiceProfile;
import dev.komainu.telemetry.record.ServiceSighting.Setting;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A setting as discovery found it: the value in force and its place.
 *
 * <p>A source is {@code FILE:LINE}. Parentheses after it contain the written text when another
 * value is in force: {@code /etc/apache2/mods-enabled/mpm_event.conf:7 (500, changed by ServerLimit
 * 16)}, {@code /etc/nginx/nginx.conf:2 (auto)}. Sources without a file are {@code command line -p},
 * {@code environment NAME}, {@code /proc} paths and defaults.
 *
 * @param value in force; absent when unknown
 * @param source as discovery reported it
 * @param file absent when it is in no file
 * @param line counted from 1
 * @param written text in the file, if known
 * @param changedBy setting that changed the value; absent when there is none
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

    /**
     * Finds a setting of a server.
     *
     * @param otherwise value when the setting is unknown; absent: unknown
     */
    static FoundSetting of(ServiceProfile service, String name, @Nullable String otherwise) {
        Setting setting = service.setting(name);
        // The kernel reports the value in force, its files contain the written one.
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

    /** Reports whether it was set on the command line of the server, which overrides its file. */
    boolean onCommandLine() {
        return source != null && source.startsWith("command line");
    }

    boolean inEnvironment() {
        return source != null && source.startsWith("environment ");
    }
}
