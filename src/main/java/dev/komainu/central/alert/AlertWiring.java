package dev.komainu.central.alert;

import dev.komainu.central.access.IdentityConcerns;
import dev.komainu.central.cluster.Clusters;
import dev.komainu.central.fleet.FleetQuotas;
import dev.komainu.central.incident.IncidentBoard;
import dev.komainu.central.ingest.ForeignReports;
import dev.komainu.central.room.RoomWatch;
import dev.komainu.central.store.ObservedRecordServer;
import dev.komainu.central.store.RecordStore;
import dev.komainu.central.store.StoreSettings;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Clock;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** Spring configuration of the alerts. */
@Configuration(proxyBeanMethods = false)
class AlertWiring {

    @Bean
    DiskUse diskUse(StoreSettings store) {
        return new DiskUse(store.directory());
    }

    @Bean
    AlertKeeper alertKeeper(
            AlertTable table,
            Silences silences,
            NoticeQueue desk,
            DiskUse disk,
            AlertSettings settings,
            PlatformTransactionManager transactions,
            Clock clock,
            MeterRegistry meters) {
        return new AlertKeeper(
                table,
                silences,
                desk,
                disk,
                settings,
                new TransactionTemplate(transactions),
                clock,
                meters);
    }

    @Bean
    AlertBoard alertBoard(
            AlertRules rules,
            Silences silences,
            AlertTable table,
            DiskUse disk,
            NoticeQueue desk,
            AlertKeeper keeper,
            Clusters clusters,
            IncidentBoard incidents,
            FleetQuotas quotas,
            ForeignReports foreign,
            IdentityConcerns concerns,
            RoomWatch room,
            RecordStore store,
            Clock clock,
            MeterRegistry meters) {
        AlertBoard board = new AlertBoard(
                rules,
                silences,
                new Observer(
                        clock.instant(),
                        disk::newest,
                        room::states,
                        clusters::all,
                        ObservedRecordServer.of(store),
                        quotas.refused(),
                        foreign,
                        concerns),
                incidents::of,
                desk,
                table.open(),
                clock.instant(),
                keeper::accept);
        Gauge.builder("komainu.alerts.firing", board, each -> each.firing().size())
                .description("Alerts that fire now, including silenced alerts")
                .register(meters);
        return board;
    }
}
