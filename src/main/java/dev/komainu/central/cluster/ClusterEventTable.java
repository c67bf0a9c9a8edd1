package dev.komainu.central.cluster;

import dev.komainu.telemetry.record.ClusterView;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/**
 * The events of clusters. An event that several members report at about the same time is one entry
 * with their names: a join is not thirty lines. Entries are deleted by age, and beyond the newest
 * {@value #MOST} of a cluster. Any thread.
 */
@Component
public class ClusterEventTable {

    private static final int MOST = 10_000;
    private static final int FORGET_EVERY = 500;
    private static final Duration SAME = Duration.ofSeconds(10);
    private static final int LONGEST_TEXT = 500;
    private static final int LONGEST_WITNESSES = 4_000;

    private final JdbcClient jdbc;
    private final ClusterSettings settings;
    private final Clock clock;
    /** Guarded by this. */
    private int written;

    public ClusterEventTable(JdbcClient jdbc, ClusterSettings settings, Clock clock) {
        this.jdbc = jdbc;
        this.settings = settings;
        this.clock = clock;
    }

    synchronized void keep(ClusterView view) {
        for (ClusterView.Event event : view.events()) {
            keep(view.cluster(), view.member(), event);
        }
    }

    private void keep(String cluster, String witness, ClusterView.Event event) {
        Instant at = Instant.ofEpochMilli(event.atMicros() / 1_000);
        String kind = cut(event.kind(), 40);
        String member = event.member() == null ? null : cut(event.member(), 80);
        String text = cut(event.text(), LONGEST_TEXT);
        ClusterEvent stored = jdbc.sql("""
                        select * from cluster_event where cluster = :cluster and at between :from and :to
                        and kind = :kind and text = :text order by id desc fetch first row only""")
                .param("cluster", cluster)
                .param("from", at.minus(SAME).atOffset(ZoneOffset.UTC))
                .param("to", at.plus(SAME).atOffset(ZoneOffset.UTC))
                .param("kind", kind)
                .param("text", text)
                .query((row, n) -> event(row))
                .optional()
                .orElse(null);
        // The same member again: the event happened twice.
        if (stored != null && !stored.seenBy().contains(witness)) {
            List<String> seenBy = new ArrayList<>(stored.seenBy());
            seenBy.add(witness);
            String joined = String.join(" ", seenBy);
            if (joined.length() <= LONGEST_WITNESSES) {
                jdbc.sql("update cluster_event set seen_by = ? where id = ?")
                        .params(joined, stored.id())
                        .update();
            }
            return;
        }
        // Before the event is written: the newest stored event may have the time of a clock that
        // was wrong.
        if (written++ % FORGET_EVERY == 0) {
            forget(cluster);
        }
        jdbc.sql(
                        "insert into cluster_event (cluster, at, kind, member, text, seen_by) values (?, ?, ?, ?, ?, ?)")
                .param(cluster)
                .param(at.atOffset(ZoneOffset.UTC))
                .param(kind)
                .param(member)
                .param(text)
                .param(witness)
                .update();
    }

    private void forget(String cluster) {
        jdbc.sql(
                        "delete from cluster_event where at < ?"
                                + " and at < (select max(at) from cluster_event) - interval '1' day * cast(? as int)")
                .params(
                        clock.instant()
                                .minus(Duration.ofDays(settings.historyDays()))
                                .atOffset(ZoneOffset.UTC),
                        settings.historyDays())
                .update();
        jdbc.sql("""
                        delete from cluster_event where cluster = :cluster and id <= (select id from cluster_event
                        where cluster = :cluster order by id desc offset :most rows fetch first row only)""").param("cluster", cluster).param("most", MOST).update();
    }

    /**
     * Returns events, newest first.
     *
     * @param before upper limit (exclusive) of the ids
     */
    public List<ClusterEvent> list(String cluster, long before, int limit) {
        return jdbc.sql("""
                        select * from cluster_event where cluster = ? and id < ?
                        order by id desc fetch first ? rows only""")
                .params(cluster, before, limit)
                .query((row, n) -> event(row))
                .list();
    }

    private static ClusterEvent event(ResultSet row) throws SQLException {
        return new ClusterEvent(
                row.getLong("id"),
                row.getObject("at", OffsetDateTime.class).toInstant(),
                row.getString("kind"),
                member(row),
                row.getString("text"),
                List.of(row.getString("seen_by").split(" ")));
    }

    private static @Nullable String member(ResultSet row) throws SQLException {
        return row.getString("member");
    }

    private static String cut(String text, int most) {
        return text.length() <= most ? text : text.substring(0, most - 1) + "…";
    }
}
