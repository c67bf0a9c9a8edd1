package dev.komainu.agent.discovery;

import dev.komainu.telemetry.record.ServiceSighting.Setting;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What tuning needs of an Apache configuration: the main server's values under the multi-processing module that runs.
 * Follows Include, Define, IfModule and IfDefine; leaves out virtual hosts and directories. Only the names below are ever
 * reported.
 */
final class ApacheSettings {

    private static final Pattern VARIABLE = Pattern.compile("\\$\\{([A-Za-z0-9_]+)}");
    private static final int MAX_VALUE = 64;

    /** Compiled-in defaults (httpd.apache.org, mpm_common, prefork, worker, event, core), in the order reported. */
    private static final Map<String, String> COMMON = ordered(
            "ListenBacklog", "511",
            "KeepAlive", "On",
            "KeepAliveTimeout", "5",
            "MaxKeepAliveRequests", "100",
            "Timeout", "60",
            "MaxConnectionsPerChild", "0");

    private static final Map<String, String> PREFORK = ordered(
            "StartServers", "5",
            "MinSpareServers", "5",
            "MaxSpareServers", "10",
            "MaxRequestWorkers", "256",
            "ServerLimit", "256");
    private static final Map<String, String> THREADED = ordered(
            "StartServers", "3",
            "MinSpareThreads", "75",
            "MaxSpareThreads", "250",
            "ThreadsPerChild", "25",
            "ThreadLimit", "64",
            "MaxRequestWorkers", "400",
            "ServerLimit", "16",
            "AsyncRequestWorkerFactor", "2");
    private static final Map<String, String> OLD_NAMES =
            Map.of("maxclients", "MaxRequestWorkers", "maxrequestsperchild", "MaxConnectionsPerChild");

    private final SettingsSource files;
    private final Map<String, String> variables = new HashMap<>();
    private final Set<String> modules = new HashSet<>(Set.of("core", "so", "http", "log_config"));
    private final Map<String, String> names = new HashMap<>();
    private final Map<String, Setting> found = new HashMap<>();
    private final Map<String, String> defaults;
    private String serverRoot;

    private ApacheSettings(SettingsSource files, String serverRoot, String mpm) {
        this.files = files;
        this.serverRoot = serverRoot;
        this.defaults = new LinkedHashMap<>(mpm.equals("prefork") ? PREFORK : THREADED);
        this.defaults.putAll(COMMON);
        defaults.keySet().forEach(name -> names.put(name.toLowerCase(Locale.ROOT), name));
        OLD_NAMES.forEach(names::put);
        modules.add("mpm_" + mpm);
    }

    /**
     * @param configuration path of its main file, relative ones to {@code serverRoot}
     * @param mpm {@code prefork}, {@code worker} or {@code event}
     * @param environment of the process, for {@code ${NAME}} in paths
     * @param defines names given with {@code -D}
     */
    static List<Setting> read(
            SettingsSource files,
            String configuration,
            String serverRoot,
            String mpm,
            Map<String, String> environment,
            List<String> defines) {
        ApacheSettings reader = new ApacheSettings(files, serverRoot, mpm);
        reader.variables.putAll(environment);
        defines.forEach(name -> reader.variables.put(name, ""));
        reader.file(reader.absolute(configuration), 0);
        List<Setting> settings = new ArrayList<>();
        settings.add(new Setting("MPM", mpm, "running"));
        reader.defaults.forEach(
                (name, value) -> settings.add(reader.found.getOrDefault(name, new Setting(name, value, "default"))));
        return settings;
    }

    private void file(String path, int depth) {
        List<String> lines = depth > 10 ? null : files.lines(path);
        if (lines == null) {
            return;
        }
        // Depth of sections entered so far; those from "skipping" on do not count here.
        int open = 0;
        int skipping = Integer.MAX_VALUE;
        for (int i = 0; i < lines.size(); i++) {
            int number = i + 1;
            StringBuilder whole = new StringBuilder(lines.get(i).strip());
            while (!whole.isEmpty() && whole.charAt(whole.length() - 1) == '\\' && i + 1 < lines.size()) {
                whole.setLength(whole.length() - 1);
                whole.append(' ').append(lines.get(++i).strip());
            }
            String line = whole.toString();
            if (line.startsWith("</")) {
                open = Math.max(0, open - 1);
                if (open <= skipping) {
                    skipping = Integer.MAX_VALUE;
                }
            } else if (line.startsWith("<")) {
                if (skipping == Integer.MAX_VALUE && !applies(line)) {
                    skipping = open;
                }
                open++;
            } else if (skipping == Integer.MAX_VALUE && !line.isEmpty() && !line.startsWith("#")) {
                directive(words(expand(line)), path, number, depth);
            }
        }
    }

    /** Whether what stands in this section concerns the main server. */
    private boolean applies(String line) {
        List<String> words = words(line.substring(1, line.endsWith(">") ? line.length() - 1 : line.length()));
        if (words.size() < 2) {
            return false;
        }
        boolean not = words.get(1).startsWith("!");
        String test = not ? words.get(1).substring(1) : words.get(1);
        return switch (words.getFirst().toLowerCase(Locale.ROOT)) {
            case "ifmodule" -> modules.contains(moduleName(test)) != not;
            case "ifdefine" -> variables.containsKey(test) != not;
            // 2.4 is the only line in use: conditions on it are taken as met.
            case "ifversion" -> !not;
            default -> false;
        };
    }

    private void directive(List<String> words, String path, int line, int depth) {
        if (words.size() < 2) {
            return;
        }
        String name = words.getFirst().toLowerCase(Locale.ROOT);
        String value = words.get(1);
        switch (name) {
            case "include", "includeoptional" -> {
                for (String pattern : words.subList(1, words.size())) {
                    include(absolute(pattern), depth);
                }
            }
            case "define" -> variables.put(value, words.size() > 2 ? words.get(2) : "");
            case "loadmodule" -> modules.add(moduleName(value));
            case "serverroot" -> serverRoot = value;
            default -> {
                String known = names.get(name);
                if (known != null && defaults.containsKey(known)) {
                    String shown = value.length() <= MAX_VALUE ? value : value.substring(0, MAX_VALUE);
                    found.put(known, new Setting(known, shown, path + ":" + line));
                }
            }
        }
    }

    private void include(String pattern, int depth) {
        for (String match : files.matching(pattern)) {
            if (files.isDirectory(match)) {
                files.matching(match + "/*").forEach(file -> file(file, depth + 1));
            } else {
                file(match, depth + 1);
            }
        }
    }

    /** {@code mpm_event} of {@code mpm_event_module}, {@code mod_mpm_event.c} and {@code event.c}. */
    private static String moduleName(String name) {
        return name.replaceFirst("^mod_", "").replaceFirst("(_module|\\.c)$", "");
    }

    private String absolute(String path) {
        return path.startsWith("/") ? path : serverRoot + "/" + path;
    }

    private String expand(String line) {
        if (line.indexOf("${") < 0) {
            return line;
        }
        Matcher matcher = VARIABLE.matcher(line);
        return matcher.replaceAll(match -> {
            @Nullable String value = variables.get(match.group(1));
            return Matcher.quoteReplacement(value == null ? match.group() : value);
        });
    }

    private static List<String> words(String line) {
        List<String> words = new ArrayList<>();
        Matcher matcher =
                Pattern.compile("\"((?:[^\"\\\\]|\\\\.)*)\"|'([^']*)'|(\\S+)").matcher(line);
        while (matcher.find()) {
            String word = matcher.group(1) != null ? matcher.group(1) : matcher.group(2);
            words.add(word != null ? word : matcher.group(3));
        }
        return words;
    }

    private static Map<String, String> ordered(String... namesAndValues) {
        Map<String, String> map = new LinkedHashMap<>();
        for (int i = 0; i < namesAndValues.length; i += 2) {
            map.put(namesAndValues[i], namesAndValues[i + 1]);
        }
        return map;
    }
}
