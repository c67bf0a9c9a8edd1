package dev.komainu.central.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import org.flywaydb.core.Flyway;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.dao.DataAccessResourceFailureException;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

/** Tests of the reasons, by SQL state and with real servers. */
class ControlDataFailureTest {

    @ParameterizedTest
    @CsvSource({
        "08001, UNREACHABLE, true",
        "08006, UNREACHABLE, true",
        "57P01, RESTARTING, true",
        "57P03, RESTARTING, true",
        "53100, FULL, true",
        "53300, TOO_MANY_CONNECTIONS, true",
        "57014, SLOW, true",
        "25006, READ_ONLY, true",
        "28P01, LOGIN, false",
        "3D000, NO_DATABASE, false",
        "22021, TEXT, false",
        "23505, OTHER, false",
        "22001, OTHER, false"
    })
    void of_stateOfTheServer(String state, ControlDataFailure expected, boolean outage) {
        Exception wrapped = new DataAccessResourceFailureException(
                "not carried out", new SQLException("as the server says", state));

        assertThat(ControlDataFailure.of(wrapped)).isEqualTo(expected);
        assertThat(expected.isOutage()).isEqualTo(outage);
    }

    @Test
    void of_emptyPool_isUnreachable_unlessTheServerSaidMore() {
        assertThat(ControlDataFailure.of(new SQLTransientConnectionException("timeout")))
                .isEqualTo(ControlDataFailure.UNREACHABLE);
        assertThat(ControlDataFailure.of(new SQLTransientConnectionException(
                        "timeout", null, new SQLException("starting", "57P03"))))
                .isEqualTo(ControlDataFailure.RESTARTING);
    }

    private static void starts(String url, String user, String password) {
        Flyway flyway = Flyway.configure()
                .dataSource(new DriverManagerDataSource(url, user, password))
                .locations("classpath:db/postgresql")
                .load();
        new ControlSchema(new ControlDataSettings(url, user, password)).migrate(flyway);
    }

    @ParameterizedTest
    @EnumSource(names = {"DEBIAN", "NEWEST"})
    void start_eachMistake_isNamedWithItsSetting(ControlEngine engine) {
        PostgresqlServer server = engine.server();
        String url = server.url("postgres");

        assertThatThrownBy(() -> starts(url, PostgresqlServer.USER, "another"))
                .isInstanceOf(ControlRefusedException.class)
                .hasMessage("komainu.control.url: " + url
                        + ": refuses the login (expected: komainu.control.user and"
                        + " komainu.control.password-file as on the server)");
        String absent = server.url("absent");
        assertThatThrownBy(() -> starts(absent, PostgresqlServer.USER, PostgresqlServer.PASSWORD))
                .isInstanceOf(ControlRefusedException.class)
                .hasMessageContaining(absent + ": has no such database");
        String closed = "jdbc:postgresql://127.0.0.1:1/komainu";
        assertThatThrownBy(() -> starts(closed, "komainu", ""))
                .isInstanceOf(ControlRefusedException.class)
                .hasMessage(
                        "komainu.control.url: " + closed
                                + ": does not respond (expected: a PostgreSQL server 15 or newer that responds)");
    }
}
