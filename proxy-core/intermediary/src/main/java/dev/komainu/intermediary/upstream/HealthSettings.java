package dev.komainu.intermediary.upstream;

import dev.komainu.settings.Setting;
import dev.komainu.settings.SettingReader;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Settings of ejection and of active checks.
 *
 * @param ejectAfter failures in a row after which a server is ejected: 0 (never) to 1,000 (3)
 * @param ejectBase duration of the first ejection, doubled each further time: 10 ms to 1 h (1 s)
 * @param ejectMost longest ejection: 10 ms to 1 h (30 s)
 * @param checkPath path that an active check requests; absent: no active checks
 * @param checkInterval between two checks of a server: 100 ms to 1 h (5 s)
 * @param checkTimeout limit for the complete response: 10 ms to 5 min (2 s)
 * @param rise good checks in a row that bring a server back: 1 to 100 (2)
 * @param fall bad checks in a row that take a server out: 1 to 100 (3)
 */
public record HealthSettings(
        int ejectAfter,
        Duration ejectBase,
        Duration ejectMost,
        @Nullable String checkPath,
        Duration checkInterval,
        Duration checkTimeout,
        int rise,
        int fall) {

    static final Setting<Integer> EJECT_AFTER = Setting.integer("upstream.eject.after", 0, 1000)
            .byDefault("3")
            .effect("Failures in a row after which one of several servers is ejected; 0: never")
            .detail("""
                    A failure is: no connection, no response, or a broken response. While a server
                    is ejected, its requests go to the other servers.""");

    static final Setting<Duration> EJECT_BASE = Setting.duration(
                    "upstream.eject.base", "10ms", "1h")
            .byDefault("1s")
            .effect("Duration of the first ejection; doubled each further time");

    static final Setting<Duration> EJECT_MOST = Setting.duration(
                    "upstream.eject.most", "10ms", "1h")
            .byDefault("30s")
            .effect("Longest ejection");

    static final Setting<String> CHECK_PATH = Setting.text(
                    "upstream.check.path", "a path such as /health", "/[!-~]*")
            .effect("Path that active checks request of each server; none: no checks")
            .detail("""
                    Responses with status 2xx and 3xx are good.""");

    static final Setting<Duration> CHECK_INTERVAL = Setting.duration(
                    "upstream.check.interval", "100ms", "1h")
            .byDefault("5s")
            .effect("Time between two checks of a server");

    static final Setting<Duration> CHECK_TIMEOUT = Setting.duration(
                    "upstream.check.timeout", "10ms", "5m")
            .byDefault("2s")
            .effect("Limit for the complete response to a check");

    static final Setting<Integer> RISE = Setting.integer("upstream.check.rise", 1, 100)
            .byDefault("2")
            .effect("Good checks in a row that bring a server back");

    static final Setting<Integer> FALL = Setting.integer("upstream.check.fall", 1, 100)
            .byDefault("3")
            .effect("Bad checks in a row that take a server out");

    public static final HealthSettings DEFAULT = read(SettingReader.ofDefaults());

    /** Reads these settings; the reader collects mistakes. */
    public static HealthSettings read(SettingReader reader) {
        return new HealthSettings(
                reader.get(EJECT_AFTER),
                reader.get(EJECT_BASE),
                reader.get(EJECT_MOST),
                reader.find(CHECK_PATH),
                reader.get(CHECK_INTERVAL),
                reader.get(CHECK_TIMEOUT),
                reader.get(RISE),
                reader.get(FALL));
    }
}
