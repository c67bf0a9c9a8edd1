package dev.komainu.central.incident;

import dev.komainu.central.assessment.Assessor;
import dev.komainu.central.diagnosis.DiagnosisArchive;
import io.micrometer.core.instrument.MeterRegistry;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** The parts of this package, connected. */
@Configuration(proxyBeanMethods = false)
class IncidentWiring {

    @Bean
    EntryDiagnoses entryDiagnoses(
            Assessor assessor,
            CurrentDiagnosis current,
            DiagnosisArchive archive,
            EntrySettings settings,
            MeterRegistry meters) {
        EntryDiagnoses entries = new EntryDiagnoses(current, archive, settings, meters);
        assessor.listen(entries::assessed);
        return entries;
    }
}
