package dev.komainu.central.access;

import dev.komainu.central.settings.SettingsReader;
import java.nio.file.Path;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Settings of this room.
 *
 * @param sessionIdle a session ends after this long without a request; 1 minute to 30 days, default 8 hours
 * @param sessionLength a session ends at this age in any case; 1 minute to 365 days, default 7 days
 * @param loginFailures failed logins a minute per name and address before further ones are refused; 1 to 1000, default 5
 * @param auditDays audit entries older than this are deleted; 1 to 3650 days, default 400
 * @param firstPassword where the first administrator's one-time password is written
 * @param bootstrapTokens where tokens for the parts on this machine are written; absent: none are made
 */
public record AccessSettings(
        Duration sessionIdle,
        Duration sessionLength,
        int loginFailures,
        int auditDays,
        Path firstPassword,
        @Nullable Path bootstrapTokens) {

    public static AccessSettings from(SettingsReader reader, Path data) {
        return new AccessSettings(
                reader.duration(
                        "komainu.access.session-idle", Duration.ofHours(8), Duration.ofMinutes(1), Duration.ofDays(30)),
                reader.duration(
                        "komainu.access.session-length",
                        Duration.ofDays(7),
                        Duration.ofMinutes(1),
                        Duration.ofDays(365)),
                reader.number("komainu.access.login-failures", 5, 1, 1000),
                reader.number("komainu.access.audit-days", 400, 1, 3650),
                data.resolve("first-password"),
                reader.optionalPath("komainu.bootstrap-tokens"));
    }
}
