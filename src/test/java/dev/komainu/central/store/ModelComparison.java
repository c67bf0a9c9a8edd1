package dev.komainu.central.store;

import static dev.komainu.central.store.SomeRecords.SECOND;
import static dev.komainu.central.store.SomeRecords.START;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.komainu.telemetry.record.ConnectionState;
import dev.komainu.telemetry.record.Distribution;
import dev.komainu.telemetry.record.ProxyExchange.CacheOutcome;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import org.assertj.core.api.recursive.comparison.RecursiveComparisonConfiguration;

/** The comparison of every result of a store with the model's, for random queries. */
final class ModelComparison {

    private ModelComparison() {}

    /** @param sameKeys whether the store numbers batches as the model does */
    static void compare(RecordStore store, ModelStore model, Random random, boolean sameKeys) {
        long from = START + random.nextLong(60 * SECOND);
        TimeRange range = random.nextBoolean()
                ? TimeRange.all()
                : new TimeRange(from, from + random.nextLong(90 * SECOND));
        for (List<String> services :
                List.of(List.<String>of(), List.of("web:0"), List.of("web:0", "web:1"))) {
            ConnectionQuery query = new ConnectionQuery(
                    services,
                    range,
                    random.nextBoolean() ? null : ConnectionState.values()[random.nextInt(3)],
                    random.nextBoolean() ? null : "192.0.2." + random.nextInt(5),
                    random.nextBoolean() ? null : random.nextLong(2_000_000),
                    random.nextBoolean() ? null : random.nextLong(1_000_000),
                    random.nextBoolean() ? null : "/" + random.nextInt(20) + "%_'",
                    1 + random.nextInt(50),
                    null);
            assertSame(store.connections(query), model.connections(query), sameKeys);
            ExchangeQuery exchanges = new ExchangeQuery(
                    services.isEmpty() ? services : List.of("proxy:0"),
                    range,
                    random.nextBoolean() ? null : CacheOutcome.values()[random.nextInt(3)],
                    null,
                    random.nextBoolean() ? null : random.nextLong(1_000_000),
                    random.nextBoolean() ? null : "/1",
                    1 + random.nextInt(50),
                    null);
            assertSame(store.exchanges(exchanges), model.exchanges(exchanges), sameKeys);
            for (int step : new int[] {4, 10, 30}) {
                Duration length = Duration.ofSeconds(step);
                assertNearlyEqual(
                        store.serviceWindows(services, range, length),
                        model.serviceWindows(services, range, length));
                assertNearlyEqual(
                        store.proxyWindows(List.of("proxy:1"), range, length),
                        model.proxyWindows(List.of("proxy:1"), range, length),
                        ".*total\\.cache\\.cache.*",
                        ".*total\\.cache\\.(pools|tier)\\.(.*[bB]ytes|records)",
                        ".*total\\.connections\\.buffers\\.(.*[bB]ytes|waiting)");
            }
        }
        assertThat(store.hostSamples("node1", range)).isEqualTo(model.hostSamples("node1", range));
        assertThat(store.sightings(range)).isEqualTo(model.sightings(range));
        assertThat(store.statuses(range)).isEqualTo(model.statuses(range));
        assertThat(store.storage().batches()).isEqualTo(model.storage().batches());
    }

    /** Compares field by field only what differs, because that takes a thousand times as long. */
    static <T> void assertNearlyEqual(List<T> actual, List<T> expected, String... ignoredFields) {
        assertThat(actual).hasSameSizeAs(expected);
        for (int i = 0; i < expected.size(); i++) {
            if (!actual.get(i).equals(expected.get(i))) {
                assertThat(actual.get(i))
                        .usingRecursiveComparison(NEARLY)
                        .ignoringFieldsMatchingRegexes(ignoredFields)
                        .isEqualTo(expected.get(i));
            }
        }
    }

    /** Sums of doubles may differ in their last digits with the order of addition. */
    private static final RecursiveComparisonConfiguration NEARLY =
            RecursiveComparisonConfiguration.builder()
                    .withEqualsForType((a, b) -> Math.abs(a - b) < 1e-9, Double.class)
                    .withEqualsForType(Distribution::equals, Distribution.class)
                    .build();

    private static <T> void assertSame(
            StoredPage<T> actual, StoredPage<T> expected, boolean sameKeys) {
        if (sameKeys) {
            assertThat(actual).isEqualTo(expected);
            return;
        }
        assertThat(actual.items())
                .extracting(StoredRecord::source, StoredRecord::record)
                .containsExactlyElementsOf(expected.items().stream()
                        .map(each -> tuple(each.source(), each.record()))
                        .toList());
        assertThat(actual.next() == null).isEqualTo(expected.next() == null);
    }
}
