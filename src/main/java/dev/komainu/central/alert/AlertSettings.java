package dev.komainu.central.alert;

import dev.komainu.settings.Setting;
import dev.komainu.settings.SettingReader;
import java.time.Duration;

/**
 * Settings of this room and of {@code notify}.
 *
 * @param url where people reach the console; no trailing slash
 * @param queue notices that may wait for one receiver
 * @param giveUp age at which an undelivered notice is given up
 * @param timeout to connect to a receiver, and for its answer
 * @param historyDays age at which ended alerts and deliveries are deleted
 */
public record AlertSettings(
        String url, int queue, Duration giveUp, Duration timeout, int historyDays) {

    private static final Setting<String> URL = Setting.text(
                    "komainu.alerts.url",
                    "http or https address",
                    "https?://[A-Za-z0-9._\\[\\]:-]+(/[A-Za-z0-9._~/-]*)?")
            .byDefaultOf("`http://` and `komainu.listen`")
            .effect("""
                    where people reach the console; links in notices begin with it.
                    Set it when the service listens on `0.0.0.0` or stands behind a proxy
                    """);
    private static final Setting<Integer> QUEUE = Setting.integer("komainu.alerts.queue", 1, 10_000)
            .byDefault("100")
            .effect(
                    "notices that may wait for one receiver; beyond, the oldest is dropped and counted");
    private static final Setting<Duration> GIVE_UP = Setting.duration(
                    "komainu.alerts.give-up", "1m", "7d")
            .byDefault("6h")
            .effect("a notice that could not be delivered for so long is given up");
    private static final Setting<Duration> TIMEOUT = Setting.duration(
                    "komainu.alerts.timeout", "1s", "60s")
            .byDefault("10s")
            .effect("how long a receiver may take to connect, and to answer");
    private static final Setting<Integer> HISTORY_DAYS = Setting.integer(
                    "komainu.alerts.history-days", 1, 3650)
            .byDefault("90")
            .effect("ended alerts, silences and deliveries older than this are deleted");

    /** @param listen the default of {@link #url} leads there */
    public static AlertSettings read(SettingReader reader, String listen) {
        return new AlertSettings(
                reader.get(URL, "http://" + listen).replaceAll("/+$", ""),
                reader.get(QUEUE),
                reader.get(GIVE_UP),
                reader.get(TIMEOUT),
                reader.get(HISTORY_DAYS));
    }
}
