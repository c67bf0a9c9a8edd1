package dev.komainu.central.enrolment;

import dev.komainu.central.access.ReportingBounds;
import dev.komainu.central.control.ControlDataFailure;
import dev.komainu.central.control.LaterWrites;
import dev.komainu.central.control.RememberedAnswers;
import dev.komainu.central.identity.PartRevocations;
import dev.komainu.central.identity.PeerRevocations;
import dev.komainu.settings.Cidr;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/** The table of parts. Any thread. */
@Component
public class Parts implements PartRevocations, PeerRevocations {

    /** Shortest time between two writes of {@code last_seen}. */
    private static final Duration GRAIN = Duration.ofMinutes(1);
    /** Time for which a part is listed after the end of its certificate, or after its loss. */
    private static final Duration LISTED = Duration.ofDays(90);
    /**
     * Time for which it is kept: longer than any certificate lives, because a certificate of a part
     * that is not in the table is taken over.
     */
    private static final Duration KEPT = Duration.ofDays(400);
    /** Largest number of revoked peers in one response, the newest first: 39 KB. */
    private static final int MOST_PEERS = 1_000;

    private static final String ORGANIZER = PartKind.ORGANIZER.text() + "@";

    /** The identity of a waiting write about a part's last request. */
    private record LastRequest(String part) {
        @Override
        public String toString() {
            return "last request of part " + part;
        }
    }

    private final JdbcClient jdbc;
    private final LaterWrites writes;
    private final Clock clock;
    /** Parts by their id. */
    private final RememberedAnswers<Part> remembered;

    public Parts(JdbcClient jdbc, LaterWrites writes, Clock clock) {
        this.jdbc = jdbc;
        this.writes = writes;
        this.clock = clock;
        this.remembered = new RememberedAnswers<>(clock);
    }

    /** Returns all parts: the valid ones, and for 90 days those that are no more. */
    public List<Part> list() {
        return jdbc.sql("""
                        select * from parts where ends > ? and (revoked is null or revoked > ?)
                        order by source, enrolled desc, id""")
                .params(now().minus(LISTED), now().minus(LISTED))
                .query((row, n) -> part(row))
                .list();
    }

    /** Returns the parts whose identity is valid now. */
    List<Part> valid() {
        return jdbc.sql("select * from parts where revoked is null and ends > ? order by source")
                .param(now())
                .query((row, n) -> part(row))
                .list();
    }

    /**
     * Returns the part of this id. While the database is away, parts that were looked up shortly
     * before are found ({@link RememberedAnswers#LIFE}).
     */
    public Optional<Part> find(String id) {
        return remembered.ask(
                id,
                () -> jdbc.sql("select * from parts where id = ?")
                        .param(id)
                        .query((row, n) -> part(row))
                        .optional());
    }

    @Override
    public boolean isRevoked(String part) {
        return find(part).filter(known -> known.revoked() != null).isPresent();
    }

    @Override
    public List<String> revokedPeers(String source) {
        int end = source.indexOf('/');
        if (end < 0 || !source.startsWith(ORGANIZER)) {
            return List.of();
        }
        String cluster = source.substring(0, end + 1);
        return jdbc.sql("""
                        select id from parts where kind = ? and revoked is not null and ends > ? and left(source, ?) = ?
                        order by revoked desc limit ?""")
                .params(PartKind.ORGANIZER.text(), now(), cluster.length(), cluster, MOST_PEERS)
                .query(String.class)
                .list();
    }

    /** Reports whether this is the newest key of a part. */
    boolean hasKey(Part part, String keyHash) {
        return jdbc.sql("select count(*) from parts where id = ? and key_hash = ?")
                        .params(part.id(), keyHash)
                        .query(Long.class)
                        .single()
                > 0;
    }

    void add(Part part, String keyHash) {
        jdbc.sql("delete from parts where ends < ?").param(now().minus(KEPT)).update();
        jdbc.sql("""
                        insert into parts (id, kind, source, networks, code, enrolled, enrolled_by, key_hash, serial,
                            issued, ends, node)
                        values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)""")
                .params(
                        part.id(),
                        part.kind().text(),
                        part.bounds().source(),
                        part.bounds().networksText(),
                        part.code(),
                        utc(part.enrolled()),
                        part.enrolledBy(),
                        keyHash,
                        part.serial(),
                        utc(part.issued()),
                        utc(part.ends()))
                .param(part.bounds().node())
                .update();
    }

    /**
     * Notes another certificate of a part. The one before stays accepted until it is used.
     *
     * @param former serial number of the certificate before; absent: none is accepted
     */
    void renewed(
            String id,
            String keyHash,
            String serial,
            Instant issued,
            Instant ends,
            @Nullable String former) {
        jdbc.sql("""
                        update parts set key_hash = ?, serial = ?, issued = ?, ends = ?, serial_used = null, former_serial = ?
                        where id = ?""")
                .params(keyHash, serial, utc(issued), utc(ends))
                .param(former)
                .param(id)
                .update();
        remembered.forget(id);
    }

    /** Notes a request of a part with its newest certificate. */
    void seen(Part part, @Nullable String address) {
        Instant now = clock.instant();
        ControlDataFailure.unlessOutage(() -> {
            if (part.serialUsed() == null) {
                jdbc.sql("update parts set serial_used = ? where id = ? and serial_used is null")
                        .params(utc(now), part.id())
                        .update();
            }
        });
        noteAddress(part, address, now);
    }

    /** Notes a request of a part with the certificate before its newest. */
    void seenFormer(Part part, @Nullable String address) {
        noteAddress(part, address, clock.instant());
    }

    private void noteAddress(Part part, @Nullable String address, Instant now) {
        Instant last = part.lastSeen();
        if (last == null || last.isBefore(now.minus(GRAIN)) || last.isAfter(now)) {
            writes.run(
                    new LastRequest(part.id()),
                    () -> jdbc.sql("update parts set last_seen = ?, last_address = ? where id = ?")
                            .param(utc(now))
                            .param(address)
                            .param(part.id())
                            .update());
        }
    }

    /** Sets the addresses for which a part may report; empty when it does not exist. */
    public Optional<Part> setNetworks(String id, List<Cidr> networks) {
        jdbc.sql("update parts set networks = ? where id = ?")
                .params(EnrolmentCodes.text(networks), id)
                .update();
        remembered.clear();
        return find(id);
    }

    /**
     * Takes a part's identity; its next request is refused.
     *
     * @return the part as it was; empty when it does not exist or has lost its identity before
     */
    public Optional<Part> revoke(String id, String by) {
        Optional<Part> before = find(id).filter(part -> part.revoked() == null);
        jdbc.sql("update parts set revoked = ?, revoked_by = ? where id = ? and revoked is null")
                .params(now(), by, id)
                .update();
        remembered.clear();
        return before;
    }

    private OffsetDateTime now() {
        return utc(clock.instant());
    }

    private static OffsetDateTime utc(Instant at) {
        return at.atOffset(ZoneOffset.UTC);
    }

    private static @Nullable Instant instant(ResultSet row, String column) throws SQLException {
        OffsetDateTime stored = row.getObject(column, OffsetDateTime.class);
        return stored == null ? null : stored.toInstant();
    }

    private static Part part(ResultSet row) throws SQLException {
        return new Part(
                row.getString("id"),
                PartKind.of(row.getString("kind")).orElse(PartKind.AGENT),
                ReportingBounds.of(
                        row.getString("source"), row.getString("node"), row.getString("networks")),
                row.getString("code"),
                row.getObject("enrolled", OffsetDateTime.class).toInstant(),
                row.getString("enrolled_by"),
                row.getString("serial"),
                row.getObject("issued", OffsetDateTime.class).toInstant(),
                row.getObject("ends", OffsetDateTime.class).toInstant(),
                instant(row, "serial_used"),
                row.getString("former_serial"),
                instant(row, "last_seen"),
                row.getString("last_address"),
                instant(row, "revoked"),
                row.getString("revoked_by"));
    }
}
