package dev.komainu.central.indices;

import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/** The database table of baselines; they survive a restart. */
@Component
public class BaselineTable {

    private final JdbcClient jdbc;

    public BaselineTable(JdbcClient jdbc) {
        this.jdbc = jdbc;
    }

    public Map<String, Baseline> all() {
        Map<String, Baseline> all = new HashMap<>();
        jdbc.sql("select * from service_baseline").query(row -> {
            all.put(
                    row.getString("service"),
                    new Baseline(
                            number((Double) row.getObject("response")),
                            number((Double) row.getObject("transfer")),
                            number((Double) row.getObject("origin")),
                            number((Double) row.getObject("failures")),
                            number((Double) row.getObject("processes")),
                            row.getInt("lessons")));
        });
        return all;
    }

    public void save(String service, Baseline baseline) {
        jdbc.sql(
                        "merge into service_baseline (service, response, transfer, origin, failures, processes, lessons) "
                                + "key (service) values (?, ?, ?, ?, ?, ?, ?)")
                .param(service)
                .param(known(baseline.responseMillis()))
                .param(known(baseline.transferMillis()))
                .param(known(baseline.originMillis()))
                .param(known(baseline.failureShare()))
                .param(known(baseline.processes()))
                .param(baseline.lessons())
                .update();
    }

    private static double number(@Nullable Double stored) {
        return stored == null ? Double.NaN : stored;
    }

    private static @Nullable Double known(double value) {
        return Double.isNaN(value) ? null : value;
    }
}
