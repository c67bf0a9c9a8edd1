package dev.komainu.central.store;

import dev.komainu.central.clickhouse.ClickHouseSettings;
import dev.komainu.central.room.RoomRelief;
import dev.komainu.central.room.RoomSettings;
import dev.komainu.central.room.WatchedPlace;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Clock;
import org.jspecify.annotations.Nullable;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Primary;

/** The choice of the store: ClickHouse if an address is set, else the embedded store. */
@Configuration(proxyBeanMethods = false)
class StoreWiring {

    @Bean(destroyMethod = "close")
    RecordStore recordStore(
            StoreSettings settings, ClickHouseSettings records, Clock clock, MeterRegistry meters) {
        if (records.address() == null) {
            return new DuckStore(settings, clock);
        }
        ClickHouseStore store = new ClickHouseStore(settings, records, clock);
        store.register(meters);
        return store;
    }

    /** What gives room on this service's disk; nothing with ClickHouse, which has its own. */
    @Bean
    @Primary
    RoomRelief roomRelief(RecordStore store) {
        return store instanceof RoomRelief relief ? relief : bytes -> {};
    }

    /** The room on ClickHouse's disk; none with DuckDB. */
    @Bean
    @Nullable
    WatchedPlace recordServerRoom(RecordStore store, RoomSettings room) {
        return store instanceof ClickHouseStore house ? house.room(room.reserveBytes()) : null;
    }
}
