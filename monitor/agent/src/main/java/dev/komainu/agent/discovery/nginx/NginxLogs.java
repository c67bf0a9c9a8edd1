package dev.komainu.agent.discovery.nginx;

import dev.komainu.agent.discovery.configuration.AccessLogPlace;
import dev.komainu.agent.discovery.configuration.ConfigurationFindings;
import dev.komainu.agent.discovery.nginx.NginxTree.Directive;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * The access logs of a server block: its own {@code access_log} lines, else those of {@code http},
 * else the compiled-in place.
 */
final class NginxLogs {

    /** nginx.org, ngx_http_log_module. */
    private static final String COMBINED =
            "$remote_addr - $remote_user [$time_local] \"$request\" $status"
                    + " $body_bytes_sent \"$http_referer\" \"$http_user_agent\"";

    private static final Pattern DIRECTIVE = Pattern.compile("[a-z_][a-z0-9_]*");

    private final Directive http;
    private final Map<String, String> formats = new HashMap<>(Map.of("combined", COMBINED));
    private final ConfigurationFindings findings;
    private final String root;

    /** The compiled-in log, absolute, and the directory of relative names. */
    record Place(String builtIn, String prefix) {}

    private final Place place;

    NginxLogs(Directive http, Place place, String root, ConfigurationFindings findings) {
        this.http = http;
        this.place = place;
        this.root = root;
        this.findings = findings;
        for (Directive format : http.named("log_format")) {
            List<String> words = format.words();
            int from = words.size() > 2 && words.get(2).startsWith("escape=") ? 3 : 2;
            if (words.size() > from) {
                List<String> pieces = words.subList(from, words.size());
                if (pieces.stream().anyMatch(NginxLogs::runsOn)) {
                    findings.problem(
                            format.source(),
                            "log_format (expected: to end with ; before the next directive)");
                } else {
                    formats.put(words.get(1), String.join("", pieces));
                }
            }
        }
    }

    /**
     * Reports whether a format contains the name of a directive or a line's end. Then the format's
     * own end is missing, and the text after it may be a secret. A valid format has no bare word
     * without separators.
     */
    private static boolean runsOn(String piece) {
        return piece.indexOf('\n') >= 0 || DIRECTIVE.matcher(piece).matches();
    }

    void read(Directive server) {
        List<Directive> logs = server.named("access_log");
        if (logs.isEmpty()) {
            logs = http.named("access_log");
        }
        if (logs.isEmpty()) {
            findings.accessLog(new AccessLogPlace(
                    place.builtIn(),
                    COMBINED,
                    AccessLogPlace.Syntax.NGINX,
                    root,
                    findings.defaultSource()));
        }
        logs.forEach(this::log);
    }

    private void log(Directive log) {
        String path = log.argument();
        if (path.equals("off")) {
            findings.logsElsewhere("off", log.source());
        } else if (path.startsWith("syslog:")) {
            findings.logsElsewhere("syslog", log.source());
        } else if (path.indexOf('$') >= 0) {
            findings.logsElsewhere("one file for each value of a variable", log.source());
        } else if (!path.isEmpty()) {
            String name = log.words().size() > 2 && log.words().get(2).indexOf('=') < 0
                    ? log.words().get(2)
                    : "combined";
            String format = formats.get(name);
            if (format == null) {
                findings.problem(log.source(), "access_log (expected: the name of a log_format)");
                return;
            }
            String absolute = path.startsWith("/") ? path : place.prefix() + "/" + path;
            findings.accessLog(new AccessLogPlace(
                    absolute, format, AccessLogPlace.Syntax.NGINX, root, log.source()));
        }
    }
}
