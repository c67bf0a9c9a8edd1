package dev.komainu.central.access;

import dev.komainu.settings.Setting;
import dev.komainu.settings.SettingReader;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Settings of this package.
 *
 * @param sessionIdle time without a request after which a session ends
 * @param sessionLength age at which a session ends even when in use
 * @param loginFailures failed logins per name and network until the next one must wait
 * @param loginAttempts failed logins a minute of all browsers that are not known
 * @param oneTimeLife time for which a one-time password opens a session
 * @param externalTokenIdle time without a login of an external user after which the user's tokens
 *     rest
 * @param secondFactor rule for the second factor of users who log in with a password
 * @param auditDays age at which audit entries are deleted
 * @param firstPassword file of the first administrator's one-time password
 * @param resets directory of the requests for new one-time passwords
 * @param bootstrapTokens directory of the tokens for the programs on this machine; absent: none are
 *     created
 * @param bootstrapParts sources on this machine that get a token
 */
public record AccessSettings(
        Duration sessionIdle,
        Duration sessionLength,
        int loginFailures,
        int loginAttempts,
        Duration oneTimeLife,
        Duration externalTokenIdle,
        SecondFactorMode secondFactor,
        int auditDays,
        Path firstPassword,
        Path resets,
        @Nullable Path bootstrapTokens,
        List<String> bootstrapParts) {

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
            .effect("Failed logins for one name from one network until the next one must wait")
            .detail("""
                    A network is an IPv4 address or an IPv6 /64. The wait is 30 s, then twice as long after each
                    failure, up to 15 minutes; it is forgotten after an hour without a failure. An attempt before
                    that gets 429 without a check. The limit is 4 times as high for one network with any names and
                    10 times for one name from anywhere. A browser that was logged in with the name before has a
                    count of its own, and none of the others apply to it.
                    """);
    private static final Setting<Integer> LOGIN_ATTEMPTS = Setting.integer(
                    "komainu.access.login-attempts", 10, 10_000)
            .byDefault("120")
            .effect("Failed logins a minute of all browsers that were not logged in before")
            .detail("Further attempts get 429 without a check.");
    private static final Setting<Duration> ONE_TIME_LIFE = Setting.duration(
                    "komainu.access.one-time-life", "1m", "30d")
            .byDefault("1d")
            .effect("Time for which a one-time password opens a session")
            .detail("""
                    Afterwards an administrator or `./komainu reset-password NAME` makes a new one.
                    """);
    private static final Setting<Duration> EXTERNAL_TOKEN_IDLE = Setting.duration(
                    "komainu.access.external-token-idle", "1d", "366d")
            .byDefault("90d")
            .effect(
                    "Time without a login of an external user after which the user's API tokens are refused")
            .detail("""
                    An OpenID provider does not tell that an account has ended; that its user does not log in any more
                    is what can be seen. The tokens work again after the user's next login. Tokens of local users, and
                    those that `komainu.bootstrap-tokens` writes, are not concerned. 366 days are longer than a token lives.
                    """);
    private static final Setting<SecondFactorMode> SECOND_FACTOR = Setting.choice(
                    "komainu.access.second-factor", SecondFactorMode.class)
            .byDefault("optional")
            .effect("Whether every user who logs in with a password needs a second factor")
            .detail("""
                    `optional`: users decide. `required`: a user without one can do nothing but set it up, also in
                    sessions that are open already. It is a code of six digits that an authenticator shows (RFC 6238),
                    or one of ten recovery codes. Tokens need none.
                    """);
    private static final Setting<Integer> AUDIT_DAYS = Setting.integer(
                    "komainu.access.audit-days", 1, 3650)
            .byDefault("400")
            .effect("Age in days above which audit entries are deleted, at the start and daily");
    private static final Setting<Path> BOOTSTRAP_TOKENS = Setting.path(
                    "komainu.bootstrap-tokens", "a directory")
            .effect(
                    "Directory in which the start writes `read.token` and a token for each of `komainu.bootstrap-parts`")
            .detail("""
                    The scopes of `read.token` are `metrics:read servers:read`. The files have mode
                    600; the tokens are valid for a year. Existing valid tokens are kept.
                    `./komainu up` uses this setting.""");
    private static final Setting<List<String>> BOOTSTRAP_PARTS = Setting.of(
                    "komainu.bootstrap-parts", "a source", AccessSettings::source)
            .list()
            .range("sources such as `agent@web-01` and `proxy@web-01:7680`, or `any`")
            .effect("Sources on this machine that get a token with the scope `ingest`")
            .detail("""
                    The token of `agent@web-01` is in `agent.token`. It is bound to its source, the host `web-01` and the
                    addresses of this machine, which are looked at each minute. `any` writes `ingest.token`, with which
                    every source can report in every name; it is meant for tests and benchmarks, and works for 90 days.""");

    private static String source(String text) {
        if (!text.equals(LocalParts.ANY) && !text.matches("[a-z]{1,20}@\\S{1,170}")) {
            throw new IllegalArgumentException(
                    text + " (expected: a source such as agent@web-01, or any)");
        }
        return text;
    }

    /**
     * Reads the settings.
     *
     * @param data directory of the first password
     */
    public static AccessSettings read(SettingReader reader, Path data) {
        List<String> parts = reader.get(BOOTSTRAP_PARTS, List.of());
        if (parts.stream()
                        .map(source -> source.replaceFirst("@.*", ""))
                        .distinct()
                        .count()
                < parts.size()) {
            reader.mistake(BOOTSTRAP_PARTS, "one of each kind, since the kind names its file");
        }
        return new AccessSettings(
                reader.get(SESSION_IDLE),
                reader.get(SESSION_LENGTH),
                reader.get(LOGIN_FAILURES),
                reader.get(LOGIN_ATTEMPTS),
                reader.get(ONE_TIME_LIFE),
                reader.get(EXTERNAL_TOKEN_IDLE),
                reader.get(SECOND_FACTOR),
                reader.get(AUDIT_DAYS),
                data.resolve("first-password"),
                data.resolve("reset"),
                reader.find(BOOTSTRAP_TOKENS),
                parts);
    }

    /** Reports whether a user must set up a second factor before anything else. */
    public boolean mustSetUpSecondFactor(User user) {
        return secondFactor == SecondFactorMode.REQUIRED
                && !user.secondFactor()
                && !user.external();
    }
}
