package dev.komainu.central.room;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToDoubleFunction;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Spring configuration of this package. */
@Configuration(proxyBeanMethods = false)
class RoomWiring {

    static final String DATA = "data";
    static final String TELEMETRY = "telemetry";

    @Bean
    RoomWatch roomWatch(
            RoomPlaces where,
            Reserve reserve,
            RoomRelief telemetry,
            ObjectProvider<WatchedPlace> others,
            MeterRegistry meters) {
        List<WatchedPlace> places = new ArrayList<>();
        long limit = reserve.bytes();
        boolean together = areTogether(where.data(), where.telemetry());
        places.add(new WatchedDisk(
                DATA, where.data(), limit, reserve, together ? telemetry : null, System::nanoTime));
        if (!together) {
            places.add(new WatchedDisk(
                    TELEMETRY, where.telemetry(), limit, null, telemetry, System::nanoTime));
        }
        others.orderedStream().forEach(places::add);
        RoomWatch watch = new RoomWatch(places, reserve);
        register(watch, meters);
        FunctionCounter.builder("komainu.room.given.back", reserve, Reserve::givenBack)
                .description("Times that the reserve of the data directory was given back")
                .register(meters);
        return watch;
    }

    private static void register(RoomWatch watch, MeterRegistry meters) {
        for (WatchedPlace place : watch.places()) {
            gauge(
                            "komainu.room.free",
                            place,
                            state -> state.freeBytes() < 0 ? Double.NaN : state.freeBytes())
                    .baseUnit("bytes")
                    .description("Bytes that the service can still use, by place")
                    .register(meters);
            gauge("komainu.room.full", place, state -> state.full() ? 1 : 0)
                    .description("Whether a place has too little room, or no reserve")
                    .register(meters);
        }
    }

    private static Gauge.Builder<WatchedPlace> gauge(
            String name, WatchedPlace place, ToDoubleFunction<RoomState> figure) {
        return Gauge.builder(name, place, each -> {
                    RoomState state = each.state();
                    return state == null ? Double.NaN : figure.applyAsDouble(state);
                })
                .tag("place", place.name());
    }

    private static boolean areTogether(Path one, Path other) {
        try {
            return Files.getFileStore(one).equals(Files.getFileStore(other));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
