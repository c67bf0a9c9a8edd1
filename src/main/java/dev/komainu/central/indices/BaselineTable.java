package dev.komainu.central.indices;

import dev.komainu.central.control.Upsert;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/** The database table of baselines; they survive a restart. */
@Component
public class BaselineTable implements BaselineStore {

    private final JdbcClient jdbc;

    public BaselineTable(JdbcClient jdbc) {
        this.jdbc = jdbc;
    }

    @Override
    public @Nullable Baseline find(String service) {
        return jdbc.sql("select * from service_baseline where service = ?")
                .param(service)
                .query((row, n) -> new Baseline(
                        number((Double) row.getObject("response")),
                        number((Double) row.getObject("transfer")),
                        number((Double) row.getObject("origin")),
                        number((Double) row.getObject("failures")),
                        number((Double) row.getObject("processes")),
                        number((Double) row.getObject("client_round_trip")),
                        row.getInt("lessons")))
                .optional()
                .orElse(null);
    }

    @Override
    public void save(String service, Baseline baseline) {
        Upsert.into("service_baseline")
                .key("service", service)
                .set("response", known(baseline.responseMillis()))
                .set("transfer", known(baseline.transferMillis()))
                .set("origin", known(baseline.originMillis()))
                .set("failures", known(baseline.failureShare()))
                .set("processes", known(baseline.processes()))
                .set("client_round_trip", known(baseline.clientRoundTripMillis()))
                .set("lessons", baseline.lessons())
                .run(jdbc);
    }

    private static double number(@Nullable Double stored) {
        return stored == null ? Double.NaN : stored;
    }

    private static @Nullable Double known(double value) {
        return Double.isNaN(value) ? null : value;
    }
}
