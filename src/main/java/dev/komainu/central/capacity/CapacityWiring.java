package dev.komainu.central.capacity;

import dev.komainu.central.fleet.Fleet;
import dev.komainu.central.store.RecordStore;
import java.time.Clock;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.simple.JdbcClient;

/** Spring configuration of this package. */
@Configuration(proxyBeanMethods = false)
class CapacityWiring {

    @Bean
    Capacities capacities(
            Fleet fleet,
            RecordStore store,
            JdbcClient jdbc,
            CapacitySettings settings,
            Clock clock) {
        return new Capacities(
                fleet,
                store,
                new HourlyHistory(jdbc, store, fleet),
                new Upgrades(jdbc),
                settings,
                clock);
    }

    @Bean
    CapacityRounds capacityRounds(Capacities capacities) {
        return new CapacityRounds(capacities);
    }
}
