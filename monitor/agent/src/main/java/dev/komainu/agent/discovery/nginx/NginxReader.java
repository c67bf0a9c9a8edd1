package dev.komainu.agent.discovery.nginx;

import dev.komainu.agent.discovery.configuration.ConfigurationFiles;
import dev.komainu.agent.discovery.configuration.ConfigurationFindings;
import dev.komainu.agent.discovery.configuration.ConfigurationReader;
import dev.komainu.agent.discovery.configuration.ConfigurationSubject;
import dev.komainu.agent.discovery.nginx.NginxTree.Directive;
import dev.komainu.agent.discovery.program.ServerProcess;
import dev.komainu.agent.discovery.program.VersionText;
import dev.komainu.agent.host.linux.ProcStat;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Reads the configuration of one nginx port: the values of main and events, then of {@code http}
 * (or {@code stream}), then of the port's default server block, then of its {@code location /}.
 * Further server blocks of the port add their logs and upstreams.
 */
public final class NginxReader implements ConfigurationReader {

    /**
     * Matches {@code -g "DIRECTIVES"}. nginx rewrites its title, so quotes are lost and the next
     * option ends the directives.
     */
    private static final Pattern DIRECTIVES =
            Pattern.compile("(?:^| )-g ?(.*?)(?= -[cepgtTqsvV](?: |$)|$)");

    @Override
    public void read(ConfigurationSubject subject, ConfigurationFindings findings) {
        ServerProcess process = subject.process();
        String about = subject.programOutput().apply("-V");
        String prefix = subject.absolute(
                orElse(
                        process.option("-p"),
                        orElse(VersionText.nginxArgument(about, "prefix"), "/usr/share/nginx")),
                "");
        String file = orElse(
                process.option("-c"),
                orElse(VersionText.nginxArgument(about, "conf-path"), "/etc/nginx/nginx.conf"));
        String log = orElse(VersionText.nginxArgument(about, "http-log-path"), "logs/access.log");
        read(
                subject.files(),
                subject.absolute(file, prefix),
                commandLine(process),
                new NginxLogs.Place(log.startsWith("/") ? log : prefix + "/" + log, prefix),
                subject.port(),
                findings);
        if (findings.value("worker_processes").equals("auto")) {
            int cpus = ProcStat.parse(subject.proc().text("stat")).cpus().size();
            String source = String.valueOf(
                    findings.get("worker_processes") == null
                            ? findings.defaultSource()
                            : findings.get("worker_processes").source());
            findings.put("worker_processes", String.valueOf(Math.max(1, cpus)), source + " (auto)");
        }
    }

    static void read(
            ConfigurationFiles files,
            String configuration,
            String commandLine,
            NginxLogs.Place logs,
            int port,
            ConfigurationFindings findings) {
        Directive main = NginxTree.read(files, configuration, commandLine, findings);
        findings.expect(NginxKnobs.CORE);
        values(main, findings);
        main.named("events").forEach(block -> values(block, findings));
        NginxListen listen = new NginxListen(port);
        for (String name : List.of("http", "stream")) {
            for (Directive protocol : main.named(name)) {
                List<Directive> servers = listen.servers(protocol);
                if (!servers.isEmpty()) {
                    protocol(
                            protocol,
                            servers,
                            listen,
                            new NginxLogs(protocol, logs, files.root(), findings),
                            findings);
                    return;
                }
            }
        }
        // No server names the port. The values that apply to every server are still useful.
        findings.expect(NginxKnobs.HTTP);
        findings.expect(NginxListen.KNOBS);
        main.named("http").forEach(block -> values(block, findings));
    }

    private static void protocol(
            Directive protocol,
            List<Directive> servers,
            NginxListen listen,
            NginxLogs logs,
            ConfigurationFindings findings) {
        NginxUpstreams upstreams = new NginxUpstreams(protocol, findings);
        boolean http = protocol.name().equals("http");
        if (http) {
            findings.expect(NginxKnobs.HTTP);
        }
        boolean passes = false;
        for (Directive server : servers) {
            passes |= upstreams.read(server);
        }
        if (passes && http) {
            findings.expect(NginxKnobs.PROXY);
        }
        findings.expect(NginxListen.KNOBS);
        values(protocol, findings);
        Directive first = servers.getFirst();
        values(first, findings);
        first.named("location").stream()
                .filter(location ->
                        location.words().size() == 2 && location.argument().equals("/"))
                .forEach(location -> values(location, findings));
        listen.read(servers, findings);
        if (http) {
            servers.forEach(logs::read);
        } else {
            findings.logsElsewhere("off", protocol.source());
        }
        if (passes && findings.get("upstream:keepalive") == null) {
            boolean builtIn = findings.value("proxy_http_version").equals("1.1")
                    && findings.defaultOf("proxy_http_version").equals("1.1");
            findings.putDerived(
                    "upstream:keepalive", builtIn ? "32" : "off", findings.defaultSource());
        }
    }

    private static void values(Directive block, ConfigurationFindings findings) {
        for (Directive directive : block.children()) {
            if (directive.children().isEmpty() && directive.words().size() > 1) {
                String value = directive.value();
                switch (directive.name()) {
                    // "threads=POOL" names a pool, "aio threads" the default pool. The name of a
                    // pool is not reported.
                    case "aio" ->
                        findings.put(
                                "aio",
                                value.startsWith("threads") ? "threads" : value,
                                directive.source());
                    case "thread_pool" -> threads(directive, findings);
                    // Not http's server directive of this name but a listen option, which is read
                    // with the listen lines.
                    case "backlog",
                            "reuseport",
                            "deferred",
                            "fastopen",
                            "so_keepalive",
                            "rcvbuf",
                            "sndbuf" -> {}
                    default -> findings.put(directive.name(), value, directive.source());
                }
            }
        }
    }

    private static void threads(Directive pool, ConfigurationFindings findings) {
        for (String word : pool.words()) {
            if (word.startsWith("threads=")) {
                findings.put("thread_pool", word.substring(8), pool.source());
            }
        }
    }

    static String commandLine(ServerProcess process) {
        List<String> arguments = process.arguments();
        Matcher matcher = DIRECTIVES.matcher(String.join(" ", arguments));
        String given = matcher.find() ? matcher.group(1) : null;
        return given == null ? "" : given;
    }

    private static String orElse(@org.jspecify.annotations.Nullable String value, String other) {
        return value == null ? other : value;
    }
}
