package dev.komainu.central;

import dev.komainu.settings.SettingSource;
import dev.komainu.settings.WrittenValue;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.EnumerablePropertySource;
import org.springframework.core.env.PropertySource;

/**
 * Spring's environment as one source of settings: command line, variables of the process,
 * {@code application.yml}, in Spring's order. The place of a value is the name of its property
 * source. Any thread.
 */
record SpringSettingSource(ConfigurableEnvironment environment) implements SettingSource {

    private static final String PREFIX = "komainu.";

    @Override
    public @Nullable WrittenValue find(String key) {
        String text = environment.getProperty(key);
        if (text != null) {
            return given(key, text);
        }
        List<WrittenValue> members = new ArrayList<>();
        for (int i = 0;
                environment.getProperty(key + "[" + i + "]") instanceof String member;
                i++) {
            members.add(given(key + "[" + i + "]", member));
        }
        return members.isEmpty() ? null : given(key + "[0]", members);
    }

    private WrittenValue given(String name, Object value) {
        String source = environment.getPropertySources().stream()
                .filter(one -> !one.getName().equals("configurationProperties")
                        && one.containsProperty(name))
                .map(PropertySource::getName)
                .findFirst()
                .orElse("environment");
        return new WrittenValue(value, source, source);
    }

    /**
     * Unknown {@code komainu.*} keys. Variables of the process ({@code KOMAINU_…}) are left out:
     * the other parts and the launcher have variables of that prefix too, and an unrelated variable
     * must not stop the service.
     */
    @Override
    public List<Stray> strays(Set<String> known) {
        Map<String, Stray> strays = new TreeMap<>();
        for (PropertySource<?> source : environment.getPropertySources()) {
            if (source instanceof EnumerablePropertySource<?> listed) {
                for (String name : listed.getPropertyNames()) {
                    String key = name.replaceFirst("\\[\\d+]$", "");
                    if (key.startsWith(PREFIX) && !known.contains(key)) {
                        strays.putIfAbsent(key, new Stray(key, source.getName(), Stray.UNKNOWN));
                    }
                }
            }
        }
        return List.copyOf(strays.values());
    }
}
