package dev.komainu.central.access;

import dev.komainu.central.control.ControlDataFailure;
import dev.komainu.central.control.RememberedAnswers;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/**
 * The API tokens of programs, with scopes and an expiry. Only hashes of their secrets are stored.
 * The tokens of an external user rest while the user has not logged in for
 * {@link AccessSettings#externalTokenIdle}: the OpenID provider does not tell that an account has
 * ended. Any thread.
 */
@Component
public class ApiTokens {

    /** Prefix of every secret, by which scanners find a leaked one. */
    public static final String PREFIX = "kmn_";

    private static final int ID_LENGTH = 8;
    /** Shortest time between two writes of {@code last_used}. */
    private static final Duration GRAIN = Duration.ofMinutes(1);

    private static final String TOKENS =
            "select t.*, u.last_login as owner_login from tokens t left join users u"
                    + " on u.name = t.created_by and u.external_issuer is not null ";

    private final JdbcClient jdbc;
    private final AccessSettings settings;
    private final Clock clock;
    /** Tokens by the hash of their secret. */
    private final RememberedAnswers<ApiToken> remembered;

    public ApiTokens(JdbcClient jdbc, AccessSettings settings, Clock clock) {
        this.jdbc = jdbc;
        this.settings = settings;
        this.clock = clock;
        this.remembered = new RememberedAnswers<>(clock);
    }

    /** Forgets what is remembered of tokens, because some were deleted. */
    public void forget() {
        remembered.clear();
    }

    /** A new token and its secret, which is not stored. */
    public record Created(ApiToken token, String secret) {}

    /** Returns all tokens, newest first, including expired and resting ones. */
    public List<ApiToken> list() {
        return jdbc.sql(TOKENS + "order by t.created desc, t.id")
                .query((row, n) -> token(row))
                .list();
    }

    /**
     * Creates a token.
     *
     * @param life time from now until the token expires
     */
    public Created create(String name, Collection<Scope> scopes, Duration life, String createdBy) {
        return create(name, scopes, life, createdBy, null, null);
    }

    /**
     * Creates a token that is bound to a group, or to the names in which it may report.
     *
     * @param life time from now until the token expires
     * @param group label selector of the services that it may change; absent: all
     * @param bounds names in which it may report; absent: all
     */
    public Created create(
            String name,
            Collection<Scope> scopes,
            Duration life,
            String createdBy,
            @Nullable String group,
            @Nullable ReportingBounds bounds) {
        String random = Secrets.random();
        String secret = PREFIX + random;
        Instant now = clock.instant();
        String id = random.substring(0, ID_LENGTH);
        jdbc.sql("""
                        insert into tokens (id, name, hash, scopes, created, created_by, expires, service_group,
                            source, node, networks)
                        values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)""")
                .params(
                        id,
                        name,
                        Secrets.hash(secret),
                        scopes.stream()
                                .distinct()
                                .sorted()
                                .map(Scope::text)
                                .collect(Collectors.joining(" ")),
                        now.atOffset(ZoneOffset.UTC),
                        createdBy,
                        now.plus(life).atOffset(ZoneOffset.UTC))
                .param(group)
                .param(bounds == null ? null : bounds.source())
                .param(bounds == null ? null : bounds.node())
                .param(bounds == null ? null : bounds.networksText())
                .update();
        return new Created(byId(id).orElseThrow(), secret);
    }

    private Optional<ApiToken> byId(String id) {
        return jdbc.sql(TOKENS + "where t.id = ?")
                .param(id)
                .query((row, n) -> token(row))
                .optional();
    }

    /**
     * Returns the token of a secret; empty when it is unknown, revoked, expired or rests. While the
     * database is away, tokens that were used shortly before are found
     * ({@link RememberedAnswers#LIFE}). A remembered token that rests meanwhile is neither found
     * nor refused, but the outage is thrown: its owner may have logged in since it was read.
     */
    public Optional<ApiToken> find(String secret) {
        Instant now = clock.instant();
        Optional<ApiToken> stored = unexpired(secret, now).filter(token -> !token.rests(now));
        stored.filter(token -> token.lastUsed() == null
                        || token.lastUsed().isBefore(now.minus(GRAIN))
                        || token.lastUsed().isAfter(now))
                .ifPresent(token -> ControlDataFailure.unlessOutage(
                        () -> jdbc.sql("update tokens set last_used = ? where id = ?")
                                .params(now.atOffset(ZoneOffset.UTC), token.id())
                                .update()));
        return stored;
    }

    /** Returns the token of a secret if it is refused only because it rests. */
    public Optional<ApiToken> resting(String secret) {
        Instant now = clock.instant();
        return unexpired(secret, now).filter(token -> token.rests(now));
    }

    private Optional<ApiToken> unexpired(String secret, Instant now) {
        if (!secret.startsWith(PREFIX)) {
            return Optional.empty();
        }
        String hash = Secrets.hash(secret);
        return remembered
                .ask(
                        hash,
                        () -> jdbc.sql(TOKENS + "where t.hash = ? and t.expires > ?")
                                .params(hash, now.atOffset(ZoneOffset.UTC))
                                .query((row, n) -> token(row))
                                .optional(),
                        token -> !token.rests(now))
                .filter(token -> token.expires().isAfter(now));
    }

    /** Changes the names in which a token may report. */
    void bind(String id, ReportingBounds bounds) {
        jdbc.sql("update tokens set source = ?, node = ?, networks = ? where id = ?")
                .param(bounds.source())
                .param(bounds.node())
                .param(bounds.networksText())
                .param(id)
                .update();
        forget();
    }

    /** Returns the tokens of a user, including expired and resting ones. */
    public List<ApiToken> ownedBy(String user) {
        return jdbc.sql(TOKENS + "where t.created_by = ? order by t.created desc, t.id")
                .param(user)
                .query((row, n) -> token(row))
                .list();
    }

    /**
     * Creates a token in place of another, with the same name, scopes, bounds and length of life.
     * The other one works for the overlap; a token that ends before is not prolonged. Empty when
     * the other one does not exist.
     */
    public Optional<Created> rotate(String id, Duration overlap, String createdBy) {
        return byId(id).map(token -> {
            Created created = create(
                    token.name(),
                    token.scopes(),
                    Duration.between(token.created(), token.expires()),
                    createdBy,
                    token.group(),
                    token.reportingBounds());
            OffsetDateTime end = clock.instant().plus(overlap).atOffset(ZoneOffset.UTC);
            jdbc.sql("update tokens set expires = ? where id = ? and expires > ?")
                    .params(end, id, end)
                    .update();
            forget();
            return created;
        });
    }

    /** Revokes a token and returns it; empty when it does not exist. */
    public Optional<ApiToken> revoke(String id) {
        Optional<ApiToken> stored = byId(id);
        jdbc.sql("delete from tokens where id = ?").param(id).update();
        forget();
        return stored;
    }

    private ApiToken token(ResultSet row) throws SQLException {
        Instant ownerLogin = Users.instant(row, "owner_login");
        return new ApiToken(
                row.getString("id"),
                row.getString("name"),
                Arrays.stream(row.getString("scopes").split(" "))
                        .flatMap(text -> Scope.of(text).stream())
                        .toList(),
                row.getObject("created", OffsetDateTime.class).toInstant(),
                row.getString("created_by"),
                Objects.requireNonNull(Users.instant(row, "expires")),
                Users.instant(row, "last_used"),
                ownerLogin == null ? null : ownerLogin.plus(settings.externalTokenIdle()),
                row.getString("service_group"),
                reportingBounds(row));
    }

    private static @Nullable ReportingBounds reportingBounds(ResultSet row) throws SQLException {
        String source = row.getString("source");
        return source == null
                ? null
                : ReportingBounds.of(
                        source,
                        row.getString("node"),
                        Objects.requireNonNullElse(row.getString("networks"), ""));
    }
}
