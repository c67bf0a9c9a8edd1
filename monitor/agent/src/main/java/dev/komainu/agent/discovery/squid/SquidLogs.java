package dev.komainu.agent.discovery.squid;

import dev.komainu.agent.discovery.configuration.AccessLogPlace;
import dev.komainu.agent.discovery.configuration.ConfigurationFindings;
import dev.komainu.agent.discovery.squid.SquidFile.Directive;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Squid's access logs: its {@code access_log} lines, else the compiled-in place
 * (squid.conf.documented).
 */
final class SquidLogs {

    private static final Map<String, String> BUILT_IN = Map.of(
            "squid", "%ts.%03tu %6tr %>a %Ss/%03>Hs %<st %rm %ru %[un %Sh/%<a %mt",
            "common", "%>a %[ui %[un [%tl] \"%rm %ru HTTP/%rv\" %>Hs %<st %Ss:%Sh",
            "combined",
                    "%>a %[ui %[un [%tl] \"%rm %ru HTTP/%rv\" %>Hs %<st \"%{Referer}>h\" \"%{User-Agent}>h\" %Ss:%Sh",
            "referrer", "%ts.%03tu %>a %{Referer}>h %ru",
            "useragent", "%>a [%tl] \"%{User-Agent}>h\"");

    private final Map<String, String> formats = new HashMap<>(BUILT_IN);
    private final String root;
    private final ConfigurationFindings findings;

    SquidLogs(String root, ConfigurationFindings findings) {
        this.root = root;
        this.findings = findings;
    }

    /**
     * Reads the logs.
     *
     * @param builtInPath the compiled-in file
     */
    void read(List<Directive> directives, String builtInPath) {
        boolean configured = false;
        for (Directive directive : directives) {
            if (directive.name().equals("logformat") && directive.words().size() > 2) {
                formats.put(
                        directive.argument(0),
                        String.join(
                                " ",
                                directive.words().subList(2, directive.words().size())));
            }
        }
        for (Directive directive : directives) {
            if (directive.name().equals("access_log")
                    || directive.name().equals("cache_access_log")) {
                configured = true;
                log(directive);
            }
        }
        if (!configured) {
            place(builtInPath, "squid", findings.defaultSource());
        }
    }

    private void log(Directive directive) {
        String place = directive.argument(0);
        String format = "squid";
        for (String word : directive
                .words()
                .subList(
                        Math.min(2, directive.words().size()), directive.words().size())) {
            if (word.startsWith("logformat=")) {
                format = word.substring(10);
            } else if (formats.containsKey(word)) {
                // The older syntax: the format's name directly after the place.
                format = word;
                break;
            }
        }
        int colon = place.indexOf(':');
        String module = colon < 0 || place.startsWith("/") ? "stdio" : place.substring(0, colon);
        switch (module) {
            case "stdio", "daemon" ->
                place(
                        place.startsWith("/") ? place : place.substring(colon + 1),
                        format,
                        directive.source());
            case "syslog", "udp", "tcp" -> findings.logsElsewhere(module, directive.source());
            default -> findings.logsElsewhere("off", directive.source());
        }
    }

    private void place(String path, String name, String source) {
        String format = formats.get(name);
        if (path.equals("none")) {
            findings.logsElsewhere("off", source);
        } else if (format == null) {
            findings.problem(source, "access_log (expected: the name of a logformat)");
        } else if (path.startsWith("/")) {
            findings.accessLog(
                    new AccessLogPlace(path, format, AccessLogPlace.Syntax.SQUID, root, source));
        }
    }
}
