package dev.komainu.agent.discovery.komainu;

import dev.komainu.agent.discovery.configuration.ConfigurationFindings;
import dev.komainu.agent.discovery.configuration.ConfigurationReader;
import dev.komainu.agent.discovery.configuration.ConfigurationSubject;
import dev.komainu.agent.discovery.configuration.Knob;
import dev.komainu.agent.discovery.configuration.Upstream;
import dev.komainu.agent.host.linux.ProcStat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Reads the settings of Komainu's own proxy (docs/configuration/proxy.md): the command line first,
 * then the environment, the file, the default. Sizes are reported in bytes, as the proxy itself
 * reports them.
 */
public final class KomainuReader implements ConfigurationReader {

    private static final List<Knob> KNOBS = List.of(
            Knob.of("workers", ""),
            Knob.of("cache.memory", "67108864"),
            Knob.of("cache.max-object-share", "0.125"),
            Knob.of("connections.max", "10000"),
            Knob.of("connections.max-per-client", "10000"),
            Knob.of("connections.head-timeout", "10s"),
            Knob.of("connections.idle-timeout", "60s"),
            Knob.of("connections.drain-timeout", "10s"),
            Knob.of("deliver.stall-timeout", "60s"),
            Knob.of("upstream.connect-timeout", "5s"),
            Knob.of("upstream.response-timeout", "60s"),
            Knob.of("upstream.idle-timeout", "50s"),
            Knob.of("upstream.max-idle", "256"),
            Knob.of("upstream.max-open", "1024"));

    private static final Map<String, String> OPTIONS =
            Map.of("workers", "--workers", "cache.memory", "--memory", "origin", "--origin");
    private static final Pattern SIZE =
            Pattern.compile("(\\d{1,12})\\s*([KMGT])B?", Pattern.CASE_INSENSITIVE);
    private static final Pattern ROUTE = Pattern.compile("routes\\.\\d+\\.origin");

    @Override
    public void read(ConfigurationSubject subject, ConfigurationFindings findings) {
        findings.expect(KNOBS);
        Map<String, Value> file = new LinkedHashMap<>();
        String path = subject.process().option("--config");
        if (path != null) {
            ProxySettingsFile.read(subject.files(), subject.absolute(path, ""), file, findings);
        }
        for (Knob knob : KNOBS) {
            Value value = value(knob.name(), subject, file);
            if (value != null) {
                findings.put(knob.name(), inBytes(value.text()), value.source());
            }
        }
        if (findings.get("workers") == null) {
            int cpus = ProcStat.parse(subject.proc().text("stat")).cpus().size();
            findings.put(
                    "workers",
                    String.valueOf(Math.max(1, cpus)),
                    findings.defaultSource() + ", one per processor");
        }
        Value forward = value("forward.enabled", subject, file);
        boolean byFlag = subject.process().arguments().contains("--forward");
        findings.putDerived(
                "mode",
                byFlag || (forward != null && forward.text().equals("true"))
                        ? "forward"
                        : "reverse",
                byFlag
                        ? "command line --forward"
                        : forward == null ? findings.defaultSource() : forward.source());
        Value origin = value("origin", subject, file);
        if (origin != null) {
            findings.upstream(Upstream.parse(origin.text(), 80, origin.source()));
        }
        file.forEach((name, value) -> {
            if (ROUTE.matcher(name).matches()) {
                findings.upstream(Upstream.parse(value.text(), 80, value.source()));
            }
        });
    }

    /**
     * A setting's text.
     *
     * @param source the place it was read from
     */
    record Value(String text, String source) {}

    private static @org.jspecify.annotations.Nullable Value value(
            String name, ConfigurationSubject subject, Map<String, Value> file) {
        String option = OPTIONS.get(name);
        String given = option == null ? null : subject.process().option(option);
        if (given != null) {
            return new Value(given, "command line " + option);
        }
        String variable = "KOMAINU_" + name.toUpperCase(Locale.ROOT).replaceAll("[.-]", "_");
        String inEnvironment = subject.environment().get(variable);
        return inEnvironment == null
                ? file.get(name)
                : new Value(inEnvironment, "environment " + variable);
    }

    private static String inBytes(String value) {
        Matcher matcher = SIZE.matcher(value.strip());
        if (!matcher.matches()) {
            return value.strip().replace("_", "");
        }
        String unit = String.valueOf(matcher.group(2)).toUpperCase(Locale.ROOT);
        int shift = 10 * ("KMGT".indexOf(unit) + 1);
        return String.valueOf(Long.parseLong(String.valueOf(matcher.group(1))) << shift);
    }
}
