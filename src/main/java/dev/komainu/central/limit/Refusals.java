package dev.komainu.central.limit;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.EnumMap;
import java.util.Map;
import org.springframework.stereotype.Component;

/** The counters {@code komainu_refused_total{reason=}}, one for each reason. Any thread. */
@Component
public class Refusals {

    private final Map<Refusal, Counter> counters = new EnumMap<>(Refusal.class);

    public Refusals(MeterRegistry meters) {
        for (Refusal reason : Refusal.values()) {
            counters.put(
                    reason,
                    Counter.builder("komainu.refused")
                            .tag("reason", reason.label())
                            .description("Requests, connections and streams refused or ended at a"
                                    + " limit of docs/security.md")
                            .register(meters));
        }
    }

    public void count(Refusal reason) {
        Counter counter = counters.get(reason);
        if (counter != null) {
            counter.increment();
        }
    }

    /** Returns the number of refusals for a reason. */
    public long of(Refusal reason) {
        Counter counter = counters.get(reason);
        return counter == null ? 0 : (long) counter.count();
    }
}
