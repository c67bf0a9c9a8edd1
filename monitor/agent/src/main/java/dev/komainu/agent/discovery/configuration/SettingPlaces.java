package dev.komainu.agent.discovery.configuration;

import dev.komainu.telemetry.record.ServiceSighting.Setting;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Logs, upstreams and files as settings. The central service stores one value per name, so further
 * values carry a number or their path:
 *
 * <pre>
 *  access-log, access-log:2 …           path
 *  access-log-format, …-format:2 …      the line's directives; other long words are removed
 *  upstream                             all addresses, separated by ", "
 *  file:config                          the main file: path, bytes, time of last change
 *  file:config:PATH                     the files it includes
 * </pre>
 */
final class SettingPlaces {

    private static final int MAX_FILES_REPORTED = 100;
    private static final int MAX_UPSTREAMS_REPORTED = 20;

    private SettingPlaces() {}

    static List<Setting> of(
            Collection<AccessLogPlace> logs,
            @Nullable Setting logging,
            Collection<Upstream> upstreams,
            List<ConfigurationFile> files) {
        List<Setting> settings = new ArrayList<>();
        int number = 1;
        for (AccessLogPlace log : logs) {
            String suffix = number == 1 ? "" : ":" + number;
            String path = Redaction.path(log.path());
            if (!path.isEmpty()) {
                settings.add(new Setting("access-log" + suffix, path, log.source()));
                settings.add(new Setting(
                        "access-log-format" + suffix,
                        Redaction.format(log.format()),
                        log.source()));
                number++;
            }
        }
        if (logs.isEmpty() && logging != null) {
            settings.add(logging);
        }
        if (!upstreams.isEmpty()) {
            String all = upstreams.stream()
                    .limit(MAX_UPSTREAMS_REPORTED)
                    .map(Upstream::address)
                    .collect(Collectors.joining(", "));
            int left = upstreams.size() - MAX_UPSTREAMS_REPORTED;
            settings.add(new Setting(
                    "upstream",
                    left > 0 ? all + " and " + left + " more" : all,
                    upstreams.iterator().next().source()));
        }
        for (ConfigurationFile file :
                files.subList(0, Math.min(files.size(), MAX_FILES_REPORTED))) {
            String name = settings.stream().anyMatch(s -> s.name().equals("file:config"))
                    ? "file:config:" + file.path()
                    : "file:config";
            settings.add(new Setting(
                    name,
                    file.path() + ", " + file.bytes() + " bytes, " + file.modified(),
                    file.path()));
        }
        return settings;
    }
}
