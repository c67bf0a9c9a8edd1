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
 * Spring's environment as a source of settings: command line, environment variables, the file of
 * {@code --config}, in Spring's order. The place of a value is the name of its property source. Any
 * thread.
 */
record SpringSettingSource(ConfigurableEnvironment environment) implements SettingSource {

    private static final String PREFIX = "komainu.";

    @Override
    public @Nullable WrittenValue find(String key) {
        String text = environment.getProperty(key);
        if (text != null) {
            return written(key, text);
        }
        List<WrittenValue> members = new ArrayList<>();
        String member = environment.getProperty(key + "[0]");
        while (member != null) {
            members.add(written(key + "[" + members.size() + "]", member));
            member = environment.getProperty(key + "[" + members.size() + "]");
        }
        return members.isEmpty() ? null : written(key + "[0]", members);
    }

    private WrittenValue written(String name, Object value) {
        String place = environment.getPropertySources().stream()
                .filter(source -> !source.getName().equals("configurationProperties")
                        && source.containsProperty(name))
                .map(PropertySource::getName)
                .findFirst()
                .orElse("environment");
        return new WrittenValue(value, place, place);
    }

    /**
     * Returns the unknown {@code komainu.*} keys. Environment variables ({@code KOMAINU_…}) are
     * excluded: the other programs and the launcher use variables of that prefix, too, and an
     * unrelated variable must not stop the service.
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
