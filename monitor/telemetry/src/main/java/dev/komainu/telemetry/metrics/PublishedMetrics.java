package dev.komainu.telemetry.metrics;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.prometheus.metrics.model.registry.MultiCollector;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/**
 * The metrics of one part: Micrometer's meters over figures that exist.
 *
 * <p>A meter is a function from the part's figures to a number, so a counting thread pays nothing
 * for it. The figures are taken once for each page, so all samples of a page are of one moment.
 * Families whose labels come and go (servers, certificates) are collectors of the Prometheus
 * client: Micrometer's counters stay until they are removed by hand.
 *
 * <p>The registry is created with the first page. A part that is never scraped neither loads the
 * classes nor holds the meters.
 *
 * @param <F> the figures of one moment
 */
public final class PublishedMetrics<F> {

    /** The content type of {@link #page()}. */
    public static final String CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8";

    private final String prefix;
    private final Supplier<F> figures;
    private final Consumer<Meters<F>> meters;

    /** Guarded by this. */
    private @Nullable PrometheusMeterRegistry registry;

    /** The figures of the page in progress. Guarded by this; Micrometer reads it below page(). */
    private @Nullable F current;

    /**
     * Creates the metrics of a part.
     *
     * @param prefix begins each name, such as {@code komainu_proxy_}
     * @param figures supplies the figures, once for each page
     * @param meters declares the meters; called before the first page
     */
    public PublishedMetrics(String prefix, Supplier<F> figures, Consumer<Meters<F>> meters) {
        this.prefix = prefix;
        this.figures = figures;
        this.meters = meters;
    }

    /** The place where a part declares its meters. */
    public static final class Meters<F> {

        private final PublishedMetrics<F> metrics;
        private final PrometheusMeterRegistry registry;

        private Meters(PublishedMetrics<F> metrics, PrometheusMeterRegistry registry) {
            this.metrics = metrics;
            this.registry = registry;
        }

        /**
         * Adds a counter.
         *
         * @param name without prefix and without {@code _total}
         * @param labels names and values in turn
         */
        public void counter(String name, String help, ToDoubleFunction<F> value, String... labels) {
            FunctionCounter.builder(
                            metrics.prefix + name,
                            metrics,
                            its -> value.applyAsDouble(its.figures()))
                    .description(help)
                    .tags(labels)
                    .register(registry);
        }

        /**
         * Adds a gauge.
         *
         * @param name without prefix
         * @param labels names and values in turn
         */
        public void gauge(String name, String help, ToDoubleFunction<F> value, String... labels) {
            Gauge.builder(metrics.prefix + name, metrics, its -> value.applyAsDouble(its.figures()))
                    .description(help)
                    .tags(labels)
                    .register(registry);
        }

        /**
         * Adds families whose samples depend on the figures; those without a sample are left out.
         */
        public void families(Function<F, List<MetricFamily>> families) {
            String prefix = metrics.prefix;
            MultiCollector collector = () -> new MetricSnapshots(
                    MetricFamily.snapshots(prefix, families.apply(metrics.figures())));
            registry.getPrometheusRegistry().register(collector);
        }
    }

    /** Returns the page of this moment. Thread-safe. */
    public synchronized String page() {
        if (registry == null) {
            registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
            meters.accept(new Meters<>(this, registry));
        }
        current = figures.get();
        String page = registry.scrape(CONTENT_TYPE);
        current = null;
        return page;
    }

    private synchronized F figures() {
        F now = current;
        return now == null ? figures.get() : now;
    }
}
