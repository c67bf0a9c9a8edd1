package dev.komainu.central.audit;

import dev.komainu.settings.Setting;
import dev.komainu.settings.SettingReader;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Settings of this package and of {@code outside}.
 *
 * @param most largest number of rows
 * @param refusedADay largest number of rows a day about refused attempts
 * @param headFile file of the signed heads
 * @param headEvery time between two heads in the file
 * @param headEntries rows after which a head is written earlier
 * @param checkEvery time between two checks of the chain
 * @param backlog rows that may wait for a receiver
 * @param syslog {@code udp}, {@code tcp} or {@code tls} address of a syslog server; absent: none
 * @param syslogCa certificates that the server's certificate may be signed by; absent: Java's
 * @param webhook address that each row is posted to; absent: none
 * @param webhookSecretFile file with the key of the posts' signature
 */
public record AuditSettings(
        int most,
        int refusedADay,
        Path headFile,
        Duration headEvery,
        int headEntries,
        Duration checkEvery,
        int backlog,
        @Nullable URI syslog,
        @Nullable Path syslogCa,
        @Nullable URI webhook,
        @Nullable Path webhookSecretFile) {

    private static final Setting<Integer> MOST = Setting.integer(
                    "komainu.audit.most", 1_000, 10_000_000)
            .byDefault("200000")
            .effect("Largest number of audit entries")
            .detail("""
                    Above it the oldest are removed, a twentieth at a time. `komainu.access.audit-days` limits their age. An
                    entry `audit.cut` names the newest removed one.
                    """);
    private static final Setting<Integer> REFUSED_A_DAY = Setting.integer(
                    "komainu.audit.refused-a-day", 10, 100_000)
            .byDefault("100")
            .effect("Largest number of entries about refused attempts in 24 hours")
            .detail("""
                    Attempts of one name from one network in a minute are one entry with their number. Above the limit they are
                    summed up hourly in one entry of the actor `(others)`.
                    """);
    private static final Setting<Path> HEAD_FILE = Setting.path("komainu.audit.head-file", "a file")
            .byDefaultOf("`audit-head.log` below `komainu.data`")
            .effect("File to which the number and hash of the newest entry are appended")
            .detail("""
                    Each line is signed with the key of orders (mode 600). Put the file on a disk that this service's user can
                    only append to.
                    """);
    private static final Setting<Duration> HEAD_EVERY = Setting.duration(
                    "komainu.audit.head-every", "1m", "24h")
            .byDefault("1h")
            .effect("Time between two lines of the head file, if there were entries");
    private static final Setting<Integer> HEAD_ENTRIES = Setting.integer(
                    "komainu.audit.head-entries", 1, 100_000)
            .byDefault("100")
            .effect("Number of entries after which a line of the head file is written earlier");
    private static final Setting<Duration> CHECK_EVERY = Setting.duration(
                    "komainu.audit.check-every", "10m", "30d")
            .byDefault("24h")
            .effect("Time between two checks of all entries; the first one follows the start");
    private static final Setting<Integer> BACKLOG = Setting.integer(
                    "komainu.audit.backlog", 100, 1_000_000)
            .byDefault("10000")
            .effect("Entries that may wait for a syslog server or webhook")
            .detail("""
                    Above it the oldest are dropped for that receiver, and counted in `komainu_audit_dropped_total`.
                    """);
    private static final Setting<URI> SYSLOG = Setting.of(
                    "komainu.audit.syslog",
                    "`udp://HOST:PORT`, `tcp://HOST:PORT` or `tls://HOST:PORT`, IPv6 in brackets",
                    AuditSettings::syslog)
            .effect("Syslog server (RFC 5424) that gets each audit entry as it happens");
    private static final Setting<Path> SYSLOG_CA = Setting.path(
                    "komainu.audit.syslog-ca", "a file in PEM")
            .effect("Certificates of the authorities of a `tls` syslog server")
            .detail("""
                    By default those of Java. The server's name is checked.
                    """);
    private static final Setting<URI> WEBHOOK = Setting.of(
                    "komainu.audit.webhook", "http or https address", AuditSettings::webhook)
            .effect("Address that each audit entry is posted to as it happens")
            .detail("""
                    The body is JSON, signed like the notices of [alerts](../alerts.md).
                    """);
    private static final Setting<Path> WEBHOOK_SECRET_FILE = Setting.path(
                    "komainu.audit.webhook-secret-file", "a file")
            .effect("File with the secret of the webhook's signature on its first line (mode 600)");

    /**
     * Reads the settings.
     *
     * @param data directory of the head file by default
     */
    public static AuditSettings read(SettingReader reader, Path data) {
        AuditSettings settings = new AuditSettings(
                reader.get(MOST),
                reader.get(REFUSED_A_DAY),
                reader.get(HEAD_FILE, data.resolve("audit-head.log")),
                reader.get(HEAD_EVERY),
                reader.get(HEAD_ENTRIES),
                reader.get(CHECK_EVERY),
                reader.get(BACKLOG),
                reader.find(SYSLOG),
                reader.find(SYSLOG_CA),
                reader.find(WEBHOOK),
                reader.find(WEBHOOK_SECRET_FILE));
        if (settings.webhook() != null) {
            reader.require(WEBHOOK_SECRET_FILE, "a file, because komainu.audit.webhook is set");
        }
        return settings;
    }

    private static URI syslog(String text) {
        return address(
                text,
                "(?:udp|tcp|tls)",
                "udp://HOST:PORT, tcp://HOST:PORT or tls://HOST:PORT",
                true);
    }

    private static URI webhook(String text) {
        return address(text, "https?", "an http or https address", false);
    }

    private static URI address(String text, String schemes, String expected, boolean bare) {
        try {
            URI uri = URI.create(text);
            boolean hasPort = uri.getPort() > 0 && uri.getPort() < 65_536;
            boolean right = uri.getHost() != null
                    && uri.getScheme().matches(schemes)
                    && uri.getUserInfo() == null
                    && (!bare || (hasPort && uri.getPath().isEmpty()));
            if (right) {
                return uri;
            }
        } catch (IllegalArgumentException e) {
            // Told below, like every other text that is no such address.
        }
        throw new IllegalArgumentException(text + " (expected: " + expected + ")");
    }
}
