package dev.komainu.central.incident;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.central.control.ControlEngine;
import dev.komainu.central.incident.ServiceLink.Basis;
import dev.komainu.central.indices.LocalizedText;
import dev.komainu.central.state.ServiceState;
import java.time.Instant;
import java.util.List;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.jdbc.core.simple.JdbcClient;

@ParameterizedClass
@EnumSource
class IncidentTableTest {

    private static final Instant BEGAN = Instant.parse("2026-11-27T10:00:00Z");

    @Parameter
    private ControlEngine engine;

    private DataSource source;
    private IncidentTable table;

    @BeforeEach
    void migrate() {
        source = engine.fresh();
        table = new IncidentTable(JdbcClient.create(source));
    }

    @Test
    void savedTwice_isOneRowWithTheNewestContent() {
        table.save(incident("a", BEGAN, null, null, member("app:80", null)));
        Incident newest = incident(
                "a", BEGAN, null, null, member("app:80", null), member("proxy:80", Basis.MEASURED));
        table.save(newest);

        assertThat(table.open()).containsExactly(newest);
        assertThat(table.find("a")).contains(newest);
        assertThat(table.find("b")).isEmpty();
    }

    @Test
    void ended_areListedNewestFirst_byAnyOfTheirServices_withoutMergedOnes() {
        table.save(incident("a", BEGAN, BEGAN.plusSeconds(60), null, member("app:80", null)));
        table.save(incident(
                "b",
                BEGAN,
                BEGAN.plusSeconds(70),
                null,
                member("db:80", null),
                member("app:80", Basis.CONFIGURED)));
        table.save(incident("c", BEGAN, BEGAN.plusSeconds(80), "b", member("app:80", null)));

        assertThat(ids(table.ended(null, Long.MAX_VALUE, 10))).containsExactly("b", "a");
        assertThat(ids(table.ended("app:80", Long.MAX_VALUE, 10))).containsExactly("b", "a");
        assertThat(ids(table.ended("db:80", Long.MAX_VALUE, 10))).containsExactly("b");
        long last = table.ended(null, Long.MAX_VALUE, 1).getFirst().position();
        assertThat(ids(table.ended(null, last, 10))).containsExactly("a");
        assertThat(table.open()).isEmpty();
    }

    @Test
    void oldOnes_areDeleted_notByAClockThatIsAhead() {
        table.save(incident("old", BEGAN, BEGAN.plusSeconds(60), null, member("app:80", null)));
        Instant later = BEGAN.plusSeconds(86_400 * 10);
        table.save(incident("new", later, later, null, member("app:80", null)));
        table.save(incident("open", BEGAN, null, null, member("app:80", null)));

        table.deleteEnded(later.plusSeconds(86_400 * 900), 11);
        assertThat(ids(table.ended(null, Long.MAX_VALUE, 10))).containsExactly("new", "old");

        table.deleteEnded(later, 5);
        assertThat(ids(table.ended("app:80", Long.MAX_VALUE, 10))).containsExactly("new");
        assertThat(table.open()).hasSize(1);
    }

    private static List<String> ids(List<IncidentTable.Row> rows) {
        return rows.stream().map(row -> row.incident().id()).toList();
    }

    private static Incident incident(
            String id,
            Instant began,
            @Nullable Instant ended,
            @Nullable String into,
            IncidentMember... members) {
        return new Incident(id, members[0].service(), began, ended, into, true, List.of(members));
    }

    private static IncidentMember member(String service, @Nullable Basis basis) {
        return new IncidentMember(
                service,
                ServiceState.SATURATED_CPU,
                BEGAN,
                null,
                LocalizedText.of("cause", "原因"),
                basis,
                4_200.5);
    }
}
