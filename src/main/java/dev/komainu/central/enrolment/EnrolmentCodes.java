package dev.komainu.central.enrolment;

import dev.komainu.settings.Cidr;
import dev.komainu.telemetry.wire.Sha256;
import java.security.SecureRandom;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.Arrays;
import java.util.Base64;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/** The codes with which parts enrol. Only hashes of their secrets are stored. Any thread. */
@Component
public class EnrolmentCodes {

    /** Largest number of parts that may use one code. */
    public static final int MOST_USES = 100;
    /** Longest time for which a code works, in minutes. */
    public static final int MOST_MINUTES = 60;
    /** Time for which a code works unless its request names another, in minutes. */
    public static final int DEFAULT_MINUTES = 10;

    private static final int SECRET_BYTES = 24;
    private static final int ID_LENGTH = 8;
    /** Time for which a code that can no longer be used is kept, to tell its user why. */
    private static final Duration KEPT = Duration.ofDays(1);

    private static final SecureRandom RANDOM = new SecureRandom();

    private final JdbcClient jdbc;
    private final Clock clock;

    public EnrolmentCodes(JdbcClient jdbc, Clock clock) {
        this.jdbc = jdbc;
        this.clock = clock;
    }

    /**
     * The limits of a new code, as {@link StoredCode}.
     *
     * @param life time from now until the code expires
     */
    public record Limits(
            List<PartKind> kinds,
            @Nullable String node,
            List<Cidr> networks,
            int uses,
            Duration life) {

        public Limits {
            kinds = List.copyOf(kinds);
            networks = List.copyOf(networks);
        }
    }

    /** A new code and its secret, which is not stored. */
    public record Created(StoredCode code, String secret) {}

    /** Creates a code. */
    public Created create(Limits limits, String createdBy) {
        byte[] bytes = new byte[SECRET_BYTES];
        RANDOM.nextBytes(bytes);
        String secret = Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
        String hash = Sha256.hex(secret);
        Instant now = clock.instant();
        jdbc.sql("delete from enrolment_codes where expires < ?")
                .param(now.minus(KEPT).atOffset(ZoneOffset.UTC))
                .update();
        StoredCode code = new StoredCode(
                hash.substring(0, ID_LENGTH),
                limits.kinds(),
                limits.node(),
                limits.networks(),
                limits.uses(),
                0,
                now,
                createdBy,
                now.plus(limits.life()));
        jdbc.sql("""
                        insert into enrolment_codes (id, hash, kinds, node, networks, uses, used, created, created_by, expires)
                        values (?, ?, ?, ?, ?, ?, 0, ?, ?, ?)""")
                .params(
                        code.id(),
                        hash,
                        code.kinds().stream().map(PartKind::text).collect(Collectors.joining(" ")))
                .param(code.node())
                .params(
                        text(code.networks()),
                        code.uses(),
                        now.atOffset(ZoneOffset.UTC),
                        createdBy,
                        code.expires().atOffset(ZoneOffset.UTC))
                .update();
        return new Created(code, secret);
    }

    /** Returns the codes that can still be used, the newest first. */
    public List<StoredCode> open() {
        return jdbc.sql(
                        "select * from enrolment_codes where expires > ? and used < uses order by created desc, id")
                .param(clock.instant().atOffset(ZoneOffset.UTC))
                .query((row, n) -> code(row))
                .list();
    }

    /** Returns the code of a secret, whether it can still be used or not. */
    Optional<StoredCode> find(String secret) {
        return jdbc.sql("select * from enrolment_codes where hash = ?")
                .param(Sha256.hex(secret))
                .query((row, n) -> code(row))
                .optional();
    }

    /** Counts a use. Returns false when the code has expired or was used up meanwhile. */
    boolean use(StoredCode code) {
        return jdbc.sql(
                                "update enrolment_codes set used = used + 1 where id = ? and used < uses and expires > ?")
                        .params(code.id(), clock.instant().atOffset(ZoneOffset.UTC))
                        .update()
                > 0;
    }

    /** Withdraws a code and returns it; empty when it does not exist. */
    public Optional<StoredCode> withdraw(String id) {
        Optional<StoredCode> stored = jdbc.sql("select * from enrolment_codes where id = ?")
                .param(id)
                .query((row, n) -> code(row))
                .optional();
        jdbc.sql("delete from enrolment_codes where id = ?").param(id).update();
        return stored;
    }

    static String text(Collection<Cidr> networks) {
        return networks.stream().map(Cidr::toString).collect(Collectors.joining(" "));
    }

    static List<Cidr> networks(String text) {
        return Arrays.stream(text.split(" "))
                .filter(block -> !block.isEmpty())
                .map(Cidr::parse)
                .toList();
    }

    private static StoredCode code(ResultSet row) throws SQLException {
        return new StoredCode(
                row.getString("id"),
                Arrays.stream(row.getString("kinds").split(" "))
                        .flatMap(text -> PartKind.of(text).stream())
                        .toList(),
                row.getString("node"),
                networks(row.getString("networks")),
                row.getInt("uses"),
                row.getInt("used"),
                row.getObject("created", OffsetDateTime.class).toInstant(),
                row.getString("created_by"),
                row.getObject("expires", OffsetDateTime.class).toInstant());
    }
}
