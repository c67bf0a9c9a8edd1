package dev.komainu.central.api.telemetry;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.central.CentralClient;
import dev.komainu.central.CentralTest;
import dev.komainu.central.access.Role;
import dev.komainu.central.access.Scope;
import dev.komainu.central.store.RecordStore;
import dev.komainu.central.store.SomeRecords;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.Optional;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import tools.jackson.databind.JsonNode;

/** The stored days over HTTP, with the day of now. */
class DaysApiTest extends CentralTest {

    private static final String DAYS = "/api/v1/telemetry/days";

    @Autowired
    private RecordStore store;

    private static Optional<JsonNode> day(CentralClient client, LocalDate day) {
        return StreamSupport.stream(
                        client.get(DAYS).expect(200).json().get("items").spliterator(), false)
                .filter(item -> item.get("day").asString().equals(day.toString()))
                .findFirst();
    }

    @Test
    void dayOfNow_isListedAsOpenAndItsExportSaysWhyItIsRefused() throws Exception {
        store.append(SomeRecords.batch("days-test", 1, new SomeRecords(1).window("days", 0)));
        LocalDate today = LocalDate.now(ZoneOffset.UTC);
        CentralClient administrator = browser(Role.ADMINISTRATOR);

        JsonNode item = day(administrator, today).orElseThrow();

        assertThat(item.get("closed").asBoolean()).isFalse();
        assertThat(item.get("rolledUp").asBoolean()).isFalse();
        CentralClient.Answer refused =
                administrator.get(DAYS + "/" + today + "/windows.parquet").expect(409);
        assertThat(refused.problem()).isEqualTo("day-open");
        assertThat(refused.json().get("detail").asString())
                .isEqualTo(today + " is still being written (expected: a day that is over, UTC)");
    }

    @Test
    void dayOrKindThatIsNotThere_isNotFound() {
        CentralClient machine = machine(Scope.ADMIN);
        machine.get(DAYS + "/2001-01-01/windows.parquet").expect(404);
        machine.get(DAYS + "/2001-13-01/windows.parquet").expect(404);
        machine.get(DAYS + "/2001-01-01/secrets.parquet").expect(404);
    }

    @Test
    void server_ofTelemetryInDuckDb_isNone() {
        JsonNode server = browser(Role.ADMINISTRATOR)
                .get("/api/v1/telemetry/server")
                .expect(200)
                .json();
        assertThat(server.get("clickhouse").isNull()).isTrue();
    }

    @Test
    void kept_isThatOfTheSettings() {
        JsonNode days = browser(Role.ADMINISTRATOR).get(DAYS).expect(200).json();

        assertThat(days.at("/raw/keptDays").asInt()).isEqualTo(30);
        assertThat(days.at("/minutes/keptDays").asInt()).isEqualTo(30);
        assertThat(days.at("/hours/keptDays").asInt()).isEqualTo(1_095);
        assertThat(days.get("kinds")).hasSize(4);
    }
}
