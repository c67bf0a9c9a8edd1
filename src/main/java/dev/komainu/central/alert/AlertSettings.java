package dev.komainu.central.alert;

import dev.komainu.central.settings.SettingsReader;
import java.time.Duration;

/**
 * Settings of this room and of {@code notify}.
 *
 * @param url where people reach the console; links in notices begin with it; no trailing slash; default
 *     {@code http://} and {@code komainu.listen}
 * @param queue notices that may wait for one receiver, the oldest is dropped beyond; 1 to 10,000, default 100
 * @param giveUp a notice that could not be delivered for so long is given up; 1 min to 7 d, default 6 h
 * @param timeout how long a receiver may take to connect, and to answer; 1 to 60 s, default 10 s
 * @param historyDays ended alerts and deliveries older than this are deleted; 1 to 3650, default 90
 */
public record AlertSettings(String url, int queue, Duration giveUp, Duration timeout, int historyDays) {

    public static AlertSettings from(SettingsReader reader, String listen) {
        return new AlertSettings(
                reader.word(
                                "komainu.alerts.url",
                                "http://" + listen,
                                "https?://[A-Za-z0-9._\\[\\]:-]+(/[A-Za-z0-9._~/-]*)?",
                                "the console's address, such as https://komainu.example")
                        .replaceAll("/+$", ""),
                reader.number("komainu.alerts.queue", 100, 1, 10_000),
                reader.duration(
                        "komainu.alerts.give-up", Duration.ofHours(6), Duration.ofMinutes(1), Duration.ofDays(7)),
                reader.duration(
                        "komainu.alerts.timeout",
                        Duration.ofSeconds(10),
                        Duration.ofSeconds(1),
                        Duration.ofSeconds(60)),
                reader.number("komainu.alerts.history-days", 90, 1, 3650));
    }
}
