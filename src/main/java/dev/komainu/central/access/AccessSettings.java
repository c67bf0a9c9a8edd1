package dev.komainu.central.access;

import dev.komainu.settings.Setting;
import dev.komainu.settings.SettingReader;
import java.nio.file.Path;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Settings of this package.
 *
 * @param sessionIdle time without a request after which a session ends
 * @param sessionLength age at which a session ends even when in use
 * @param loginFailures failed logins a minute per name and address; above it further attempts are
 *     refused
 * @param auditDays age at which audit entries are deleted
 * @param firstPassword file of the first administrator's one-time password
 * @param bootstrapTokens directory of the tokens for the programs on this machine; absent: none are
 *     created
 */
public record AccessSettings(
        Duration sessionIdle,
        Duration sessionLength,
        int loginFailures,
        int auditDays,
        Path firstPassword,
        @Nullable Path bootstrapTokens) {

    private static final Setting<Duration> SESSION_IDLE = Setting.duration(
                    "komainu.access.session-idle", "1m", "30d")
            .byDefault("8h")
            .effect("Time without a request after which a session ends; an open stream counts "
                    + "as requests");
    private static final Setting<Duration> SESSION_LENGTH = Setting.duration(
                    "komainu.access.session-length", "1m", "365d")
            .byDefault("7d")
            .effect("Age at which a session ends, even when in use");
    private static final Setting<Integer> LOGIN_FAILURES = Setting.integer(
                    "komainu.access.login-failures", 1, 1000)
            .byDefault("5")
            .effect("Failed logins a minute for one name from one address")
            .detail("""
                    Further attempts get 429 without a check. The limit for one address with any
                    names is ten times as high.""");
    private static final Setting<Integer> AUDIT_DAYS = Setting.integer(
                    "komainu.access.audit-days", 1, 3650)
            .byDefault("400")
            .effect("Age in days above which audit entries are deleted at the start");
    private static final Setting<Path> BOOTSTRAP_TOKENS = Setting.path(
                    "komainu.bootstrap-tokens", "a directory")
            .effect("Directory in which the start writes `ingest.token` and `read.token`")
            .detail("""
                    The scopes are `ingest`, and `metrics:read servers:read`. The files have mode
                    600; the tokens are valid for a year. Existing valid tokens are kept.
                    `./komainu up` uses this setting.""");

    /**
     * Reads the settings.
     *
     * @param data directory of the first password
     */
    public static AccessSettings read(SettingReader reader, Path data) {
        return new AccessSettings(
                reader.get(SESSION_IDLE),
                reader.get(SESSION_LENGTH),
                reader.get(LOGIN_FAILURES),
                reader.get(AUDIT_DAYS),
                data.resolve("first-password"),
                reader.find(BOOTSTRAP_TOKENS));
    }
}
