package dev.komainu.central;

import dev.komainu.central.limit.HeapPlan;
import dev.komainu.settings.SettingMistakesException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.springframework.boot.EnvironmentPostProcessor;
import org.springframework.boot.SpringApplication;
import org.springframework.core.Ordered;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.MapPropertySource;

/**
 * The check of all settings before any bean is created. It also sets the Spring properties derived
 * from them. A property that the user sets directly in Spring ({@code --server.port}) has
 * precedence.
 */
class SettingsCheck implements EnvironmentPostProcessor, Ordered {

    @Override
    public void postProcessEnvironment(
            ConfigurableEnvironment environment, SpringApplication application) {
        CentralSettings settings = CentralSettings.read(environment);
        checkHeap(settings);
        Map<String, Object> derived = new LinkedHashMap<>();
        derived.put("server.address", settings.address());
        derived.put("server.port", settings.port());
        derived.putAll(settings.control().spring(settings.data()));
        environment
                .getPropertySources()
                .addLast(new MapPropertySource("derived from komainu.*", derived));
    }

    /**
     * Checks that the limits of all requests together fit the heap.
     *
     * @throws IllegalStateException with a {@link SettingMistakesException} as its cause
     */
    private static void checkHeap(CentralSettings settings) {
        HeapPlan.problem(
                        Runtime.getRuntime().maxMemory(),
                        settings.stream().clients(),
                        settings.fleet().maxServices(),
                        settings.stream().replay().toBytes(),
                        settings.ingest().maxBody().toBytes())
                .ifPresent(problem -> {
                    throw new IllegalStateException(new SettingMistakesException(List.of(problem)));
                });
    }

    /** Runs after the settings files were read. */
    @Override
    public int getOrder() {
        return Ordered.LOWEST_PRECEDENCE;
    }
}
