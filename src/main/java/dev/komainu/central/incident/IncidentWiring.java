package dev.komainu.central.incident;

import dev.komainu.central.assessment.Assessor;
import dev.komainu.central.diagnosis.DiagnosisArchive;
import dev.komainu.central.fleet.Fleet;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Clock;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** The parts of this package, connected. */
@Configuration(proxyBeanMethods = false)
class IncidentWiring {

    @Bean
    IncidentKeeper incidentKeeper(
            IncidentTable table, IncidentSettings settings, Clock clock, MeterRegistry meters) {
        return new IncidentKeeper(table, settings, clock, meters);
    }

    @Bean
    IncidentBoard incidentBoard(
            Fleet fleet, IncidentTable table, IncidentKeeper keeper, MeterRegistry meters) {
        IncidentBoard board = new IncidentBoard(fleet::serviceAt, table.open(), keeper::accept);
        Gauge.builder("komainu.incidents.open", board, each -> each.open().size())
                .description("Incidents that last now")
                .register(meters);
        return board;
    }

    @Bean
    EntryDiagnoses entryDiagnoses(
            Assessor assessor,
            CurrentDiagnosis current,
            DiagnosisArchive archive,
            IncidentSettings settings,
            MeterRegistry meters) {
        EntryDiagnoses entries = new EntryDiagnoses(current, archive, settings, meters);
        assessor.listen(entries::assessed);
        return entries;
    }
}
