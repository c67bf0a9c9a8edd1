package dev.komainu.central.state;

import dev.komainu.central.control.Upsert;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.List;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/** The database table of thresholds set by users. Any thread. */
@Component
public class ThresholdTable {

    private final JdbcClient jdbc;

    public ThresholdTable(JdbcClient jdbc) {
        this.jdbc = jdbc;
    }

    List<ThresholdOverride> all() {
        return jdbc.sql("select * from threshold_override order by service, rule, measure")
                .query((row, n) -> new ThresholdOverride(
                        row.getString("service"),
                        row.getString("rule"),
                        row.getString("measure"),
                        row.getDouble("threshold"),
                        row.getString("reason"),
                        row.getString("set_by"),
                        row.getObject("set_at", OffsetDateTime.class).toInstant()))
                .list();
    }

    void save(ThresholdOverride override) {
        Upsert.into("threshold_override")
                .key("service", override.service())
                .key("rule", override.rule())
                .key("measure", override.measure())
                .set("threshold", override.value())
                .set("reason", override.reason())
                .set("set_by", override.by())
                .set("set_at", override.at().atOffset(ZoneOffset.UTC))
                .run(jdbc);
    }

    void delete(String service, String rule, String measure) {
        jdbc.sql("delete from threshold_override where service = ? and rule = ? and measure = ?")
                .params(service, rule, measure)
                .update();
    }
}
