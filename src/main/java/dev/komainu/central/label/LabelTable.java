package dev.komainu.central.label;

import dev.komainu.central.control.Upsert;
import dev.komainu.telemetry.record.Label;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.support.GeneratedKeyHolder;
import org.springframework.stereotype.Component;

/** The database tables of label rules and of labels set by hand. Any thread. */
@Component
public class LabelTable {

    private final JdbcClient jdbc;

    public LabelTable(JdbcClient jdbc) {
        this.jdbc = jdbc;
    }

    List<HandLabel> byHand() {
        return jdbc.sql("select * from service_label order by service, label_key")
                .query((row, n) -> new HandLabel(
                        row.getString("service"), label(row), row.getString("set_by"), at(row)))
                .list();
    }

    /** Returns the rules in the order of creation. */
    List<LabelRule> rules() {
        return jdbc.sql("select * from label_rule order by id")
                .query((row, n) -> new LabelRule(
                        row.getLong("id"),
                        row.getString("service"),
                        row.getString("node"),
                        row.getString("kind"),
                        label(row),
                        row.getString("set_by"),
                        at(row)))
                .list();
    }

    void save(HandLabel label) {
        Upsert.into("service_label")
                .key("service", label.service())
                .key("label_key", label.label().key())
                .set("label_value", label.label().value())
                .set("set_by", label.by())
                .set("set_at", label.at().atOffset(ZoneOffset.UTC))
                .run(jdbc);
    }

    void delete(String service, String key) {
        jdbc.sql("delete from service_label where service = ? and label_key = ?")
                .params(service, key)
                .update();
    }

    long add(
            @Nullable String service,
            @Nullable String node,
            @Nullable String kind,
            Label label,
            String by,
            Instant at) {
        GeneratedKeyHolder id = new GeneratedKeyHolder();
        jdbc.sql(
                        "insert into label_rule (service, node, kind, label_key, label_value, set_by, set_at)"
                                + " values (?, ?, ?, ?, ?, ?, ?)")
                .param(service)
                .param(node)
                .param(kind)
                .param(label.key())
                .param(label.value())
                .param(by)
                .param(at.atOffset(ZoneOffset.UTC))
                .update(id, "id");
        return Objects.requireNonNull(id.getKey()).longValue();
    }

    void deleteRule(long id) {
        jdbc.sql("delete from label_rule where id = ?").param(id).update();
    }

    private static Label label(ResultSet row) throws SQLException {
        return new Label(row.getString("label_key"), row.getString("label_value"));
    }

    private static Instant at(ResultSet row) throws SQLException {
        return row.getObject("set_at", OffsetDateTime.class).toInstant();
    }
}
