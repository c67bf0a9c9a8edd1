package dev.komainu.agent.discovery.apache;

import dev.komainu.agent.discovery.configuration.ConfigurationFiles;
import dev.komainu.agent.discovery.program.ProcessEnvironment;
import dev.komainu.agent.discovery.program.ProgramVersion;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The names that conditions and {@code ${NAME}} of a configuration refer to: modules, defines,
 * environment, version, files.
 */
final class ApacheConditions {

    private static final Pattern VARIABLE = Pattern.compile("\\$\\{([^}\\s:]{1,64})}");

    /**
     * Modules that are always compiled in, or compiled in by Debian and most other distributions.
     */
    private static final Set<String> BUILT_IN = Set.of(
            "core",
            "so",
            "http",
            "http_core",
            "log_config",
            "logio",
            "version",
            "unixd",
            "watchdog");

    private final Map<String, String> variables = new HashMap<>();
    private final Set<String> modules = new HashSet<>(BUILT_IN);
    private final ProcessEnvironment environment;
    private final ConfigurationFiles files;
    private final @Nullable ProgramVersion version;

    ApacheConditions(
            ConfigurationFiles files,
            ProcessEnvironment environment,
            @Nullable ProgramVersion version) {
        this.files = files;
        this.environment = environment;
        this.version = version;
    }

    void define(String name, String value) {
        variables.put(name, value);
    }

    void undefine(String name) {
        variables.remove(name);
    }

    void load(String module) {
        modules.add(moduleName(module));
    }

    /**
     * Evaluates a section as a condition.
     *
     * @return null when the section is no condition
     */
    @Nullable
    Boolean test(List<String> words) {
        String section = words.isEmpty() ? "" : words.getFirst().toLowerCase(Locale.ROOT);
        List<String> arguments = words.subList(Math.min(1, words.size()), words.size());
        String first = arguments.isEmpty() ? "" : arguments.getFirst();
        boolean not = first.startsWith("!");
        String test = not ? first.substring(1) : first;
        return switch (section) {
            case "ifmodule" -> modules.contains(moduleName(test)) != not;
            case "ifdefine" -> variables.containsKey(test) != not;
            case "iffile" -> files.exists(test) != not;
            case "ifversion" -> ofVersion(test, arguments) != not;
            // These test whether a directive or section exists in this build. From 2.4.34 on nearly
            // all named ones exist.
            case "ifdirective", "ifsection" -> !not;
            default -> null;
        };
    }

    /** Evaluates {@code >= 2.4} or {@code 2.4.10}. An unknown version counts as the newest. */
    private boolean ofVersion(String test, List<String> arguments) {
        boolean operator = test.isEmpty() || test.matches("[<>=~]+");
        ProgramVersion required =
                ProgramVersion.parse(operator ? arguments.get(arguments.size() - 1) : test);
        if (required == null) {
            return false;
        }
        int order = version == null ? 1 : version.compareTo(required);
        return switch (operator ? test : "=") {
            case ">=" -> order >= 0;
            case ">" -> order > 0;
            case "<=" -> order <= 0;
            case "<" -> order < 0;
            default -> order == 0;
        };
    }

    String expand(String line) {
        if (line.indexOf("${") < 0) {
            return line;
        }
        Matcher matcher = VARIABLE.matcher(line);
        return matcher.replaceAll(match -> {
            String name = match.group(1);
            String value = variables.get(name);
            if (value == null) {
                value = environment.get(name);
            }
            return Matcher.quoteReplacement(value == null ? match.group() : value);
        });
    }

    /**
     * Returns {@code mpm_event} for {@code mpm_event_module}, {@code mod_mpm_event.c} and
     * {@code event.c}.
     */
    static String moduleName(String name) {
        String plain = name.replaceFirst("^mod_", "").replaceFirst("(_module|\\.c)$", "");
        return switch (plain) {
            case "prefork", "worker", "event" -> "mpm_" + plain;
            default -> plain;
        };
    }
}
