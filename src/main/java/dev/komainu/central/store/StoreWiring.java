package dev.komainu.central.store;

import dev.komainu.central.clickhouse.ClickHouseSettings;
import java.time.Clock;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** The choice of the store: ClickHouse if an address is set, else the embedded store. */
@Configuration(proxyBeanMethods = false)
class StoreWiring {

    @Bean(destroyMethod = "close")
    RecordStore recordStore(StoreSettings settings, ClickHouseSettings records, Clock clock) {
        return records.address() == null
                ? new DuckStore(settings, clock)
                : new ClickHouseStore(settings, records, clock);
    }
}
