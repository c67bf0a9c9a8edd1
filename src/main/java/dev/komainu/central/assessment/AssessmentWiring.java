package dev.komainu.central.assessment;

import dev.komainu.central.control.LaterWrites;
import dev.komainu.central.fleet.Fleet;
import dev.komainu.central.fleet.FleetQuotas;
import dev.komainu.central.fleet.FleetSettings;
import dev.komainu.central.fleet.FleetTable;
import dev.komainu.central.fleet.LaterFleetTable;
import dev.komainu.central.indices.BaselineTable;
import dev.komainu.central.indices.IndexCatalogue;
import dev.komainu.central.indices.LaterBaselines;
import dev.komainu.central.indices.LiveIndices;
import dev.komainu.central.label.LabelBook;
import dev.komainu.central.state.LaterTransitions;
import dev.komainu.central.state.RuleSet;
import dev.komainu.central.state.StateHistory;
import dev.komainu.central.state.StateModel;
import dev.komainu.central.state.ThresholdTable;
import dev.komainu.central.state.Thresholds;
import dev.komainu.central.store.RecordStore;
import dev.komainu.central.union.ServiceUnions;
import dev.komainu.central.union.UnionWriter;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Clock;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** The configuration of the judging packages. */
@Configuration(proxyBeanMethods = false)
class AssessmentWiring {

    @Bean
    FleetQuotas fleetQuotas(FleetSettings settings) {
        return new FleetQuotas(settings);
    }

    @Bean
    Fleet fleet(FleetTable table, LaterWrites writes, Clock clock, FleetQuotas quotas) {
        return new Fleet(new LaterFleetTable(table, writes), clock, quotas);
    }

    @Bean
    FleetAdmission fleetAdmission(Fleet fleet, FleetQuotas quotas, Clock clock) {
        return new FleetAdmission(fleet, quotas, clock);
    }

    @Bean
    LiveIndices liveIndices(IndexCatalogue catalogue) {
        return new LiveIndices(catalogue);
    }

    @Bean
    ServiceUnions serviceUnions(Clock clock) {
        return new ServiceUnions(clock);
    }

    @Bean
    LiveFeed intake(Fleet fleet, LiveIndices live, Clock clock, ServiceUnions unions) {
        return new LiveFeed(fleet, live, clock, unions);
    }

    @Bean
    UnionWriter unionWriter(
            ServiceUnions unions, RecordStore store, Clock clock, MeterRegistry registry) {
        return new UnionWriter(unions, store, clock, registry);
    }

    @Bean
    Thresholds thresholds(IndexCatalogue catalogue, ThresholdTable table) {
        return new Thresholds(RuleSet.load(catalogue), catalogue, table);
    }

    @Bean
    Assessor assessor(
            Fleet fleet,
            LiveIndices live,
            IndexCatalogue catalogue,
            StateHistory history,
            BaselineTable baselines,
            LaterWrites writes,
            Thresholds thresholds,
            Clock clock,
            LabelBook labels,
            ObjectProvider<AssessmentListener> listeners) {
        StateModel model = new StateModel(thresholds.ruleSet(), thresholds);
        Assessor assessor = new Assessor(
                fleet,
                live,
                catalogue,
                model,
                new LaterTransitions(history, writes),
                new LaterBaselines(baselines, writes),
                clock,
                labels);
        listeners.orderedStream().forEach(assessor::listen);
        return assessor;
    }

    @Bean
    Ticker ticker(Assessor assessor) {
        return new Ticker(assessor);
    }
}
