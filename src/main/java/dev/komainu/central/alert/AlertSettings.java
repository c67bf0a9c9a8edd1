package dev.komainu.central.alert;

import dev.komainu.settings.Setting;
import dev.komainu.settings.SettingReader;
import java.time.Duration;
import java.util.List;
import org.springframework.security.web.util.matcher.IpAddressMatcher;

/**
 * Settings of the packages {@code alert} and {@code notify}.
 *
 * @param url address of the console for users; no trailing slash
 * @param queue largest number of notices that wait for one receiver
 * @param giveUp age at which an undelivered notice is given up
 * @param timeout timeout to connect to a receiver, and timeout for its response
 * @param allow addresses, CIDR blocks and host names of this host or network that receivers may
 *     have
 * @param historyDays age at which ended alerts and deliveries are deleted
 */
public record AlertSettings(
        String url,
        int queue,
        Duration giveUp,
        Duration timeout,
        List<String> allow,
        int historyDays) {

    private static final Setting<String> URL = Setting.text(
                    "komainu.alerts.url",
                    "http or https address",
                    "https?://[A-Za-z0-9._\\[\\]:-]+(/[A-Za-z0-9._~/-]*)?")
            .byDefaultOf("`komainu.listen` with `http://`, or `https://` where it has TLS")
            .effect("Address of the console for users; links in notices begin with it")
            .detail("""
                    Set it when the service listens on `0.0.0.0` or is behind a proxy.""");
    private static final Setting<Integer> QUEUE = Setting.integer("komainu.alerts.queue", 1, 10_000)
            .byDefault("100")
            .effect("Notices that wait for one receiver; above it the oldest is dropped and "
                    + "counted");
    private static final Setting<Duration> GIVE_UP = Setting.duration(
                    "komainu.alerts.give-up", "1m", "7d")
            .byDefault("6h")
            .effect("Age at which an undelivered notice is given up");
    private static final Setting<Duration> TIMEOUT = Setting.duration(
                    "komainu.alerts.timeout", "1s", "60s")
            .byDefault("10s")
            .effect("Timeout to connect to a receiver, and timeout for its response");
    private static final Setting<List<String>> ALLOW = Setting.of(
                    "komainu.alerts.allow",
                    "an address, a CIDR block or a host name",
                    AlertSettings::allowed)
            .list()
            .range("addresses, CIDR blocks and host names, comma-separated or as a list")
            .effect("Receivers that may be on this host or at a link-local address")
            .detail("""
                    For example `127.0.0.1` for a mail server here. Without it such addresses are refused, and so are
                    the metadata services of clouds: a test of a receiver could tell what only this host reaches.
                    """);
    private static final Setting<Integer> HISTORY_DAYS = Setting.integer(
                    "komainu.alerts.history-days", 1, 3650)
            .byDefault("90")
            .effect("Age in days at which ended alerts, silences and deliveries are deleted");

    private static String allowed(String text) {
        if (text.matches("[0-9.]+(/[0-9]+)?") || text.contains(":")) {
            // Throws for what is neither an address nor a block.
            new IpAddressMatcher(text);
        } else if (!text.matches("[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?")) {
            throw new IllegalArgumentException(text);
        }
        return text;
    }

    /**
     * Reads the settings.
     *
     * @param ownUrl the address of this service; the default of {@link #url}
     */
    public static AlertSettings read(SettingReader reader, String ownUrl) {
        return new AlertSettings(
                reader.get(URL, ownUrl).replaceAll("/+$", ""),
                reader.get(QUEUE),
                reader.get(GIVE_UP),
                reader.get(TIMEOUT),
                reader.get(ALLOW, List.of()),
                reader.get(HISTORY_DAYS));
    }
}
