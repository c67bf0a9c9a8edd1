package dev.komainu.agent.discovery.apache;

import dev.komainu.agent.discovery.apache.ApacheTree.Directive;
import dev.komainu.agent.discovery.configuration.ConfigurationFiles;
import dev.komainu.agent.discovery.configuration.ConfigurationFindings;
import dev.komainu.agent.discovery.configuration.ConfigurationReader;
import dev.komainu.agent.discovery.configuration.ConfigurationSubject;
import dev.komainu.agent.discovery.program.ProcessEnvironment;
import dev.komainu.agent.discovery.program.ProgramVersion;
import dev.komainu.agent.discovery.program.ServerProcess;
import dev.komainu.agent.discovery.program.VersionText;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Reads the configuration of one Apache port: the main server's values under the active
 * multi-processing module, then those of the port's default virtual host. The active module is
 * found in the process's memory map.
 */
public final class ApacheReader implements ConfigurationReader {

    private static final Pattern RUNNING_MPM =
            Pattern.compile("mod_mpm_(prefork|worker|event)\\.so");
    private static final Pattern BUILT_IN_MPM =
            Pattern.compile("Server MPM:\\s+(?i:(prefork|worker|event))");
    private static final Pattern COMPRESSION = Pattern.compile("(?i)DEFLATE|BROTLI_COMPRESS");
    private static final Pattern HOST_PORT = Pattern.compile(".*:(\\d{1,5}|\\*)");

    /**
     * The conditions under which the server was started.
     *
     * @param mpm {@code prefork}, {@code worker} or {@code event}
     */
    record Start(
            String configuration,
            String serverRoot,
            String mpm,
            ProcessEnvironment environment,
            @Nullable ProgramVersion version,
            ServerProcess process) {}

    @Override
    public void read(ConfigurationSubject subject, ConfigurationFindings findings) {
        ServerProcess process = subject.process();
        String about = subject.programOutput().apply("-V");
        String root = orElse(
                process.option("-d"),
                orElse(VersionText.apacheDefine(about, "HTTPD_ROOT"), "/etc/apache2"));
        String file = orElse(
                process.option("-f"),
                orElse(VersionText.apacheDefine(about, "SERVER_CONFIG_FILE"), "apache2.conf"));
        String maps = subject.proc().text(process.id() + "/maps");
        String mpm = orElse(first(RUNNING_MPM, maps), orElse(first(BUILT_IN_MPM, about), "event"));
        findings.putDerived("MPM", mpm.toLowerCase(Locale.ROOT), "running");
        if (maps.contains("/mod_deflate.so")) {
            findings.putDerived("mod_deflate", "on", "running");
        }
        read(
                subject.files(),
                new Start(
                        file,
                        subject.absolute(root, "/"),
                        mpm.toLowerCase(Locale.ROOT),
                        subject.environment(),
                        subject.versionNumber(),
                        process),
                subject.port(),
                findings);
    }

    static void read(
            ConfigurationFiles files, Start start, int port, ConfigurationFindings findings) {
        ApacheConditions conditions =
                new ApacheConditions(files, start.environment(), start.version());
        conditions.load("mpm_" + start.mpm());
        start.process().options("-D").forEach(name -> conditions.define(name, ""));
        ApacheTree tree = new ApacheTree(files, conditions, start.serverRoot(), findings);
        start.process().options("-C").forEach(tree::commandLine);
        tree.file(tree.absolute(start.configuration()));
        start.process().options("-c").forEach(tree::commandLine);

        ApacheKnobs knobs = new ApacheKnobs(start.mpm(), findings);
        List<Directive> hosts = hosts(tree.root(), port);
        apply(tree.root(), knobs, findings);
        if (!hosts.isEmpty()) {
            apply(hosts.getFirst(), knobs, findings);
        }
        knobs.reconcile();
        new ApacheLogs(tree, files.root(), findings).read(hosts);
        ApacheUpstreams upstreams = new ApacheUpstreams(findings);
        hosts.forEach(upstreams::read);
        upstreams.read(tree.root());
    }

    private static void apply(Directive scope, ApacheKnobs knobs, ConfigurationFindings findings) {
        for (Directive line : scope.children()) {
            String name = knobs.reportedName(line.name());
            if (name != null && line.children().isEmpty()) {
                findings.put(name, line.argument(0), line.source());
            } else if (line.name().equals("addoutputfilterbytype")
                    && COMPRESSION.matcher(line.argument(0)).find()) {
                findings.putDerived("compression", "on", line.source());
            }
        }
    }

    /**
     * Returns the virtual hosts that respond on this port, in their order; the first is the
     * default.
     */
    private static List<Directive> hosts(Directive root, int port) {
        List<Directive> hosts = new ArrayList<>();
        for (Directive section : root.children()) {
            if (section.name().equals("virtualhost")
                    && section.arguments().stream()
                            .anyMatch(address -> matchesPort(address, port))) {
                hosts.add(section);
            }
        }
        return hosts;
    }

    private static boolean matchesPort(String address, int port) {
        Matcher matcher = HOST_PORT.matcher(address);
        if (!matcher.matches() || address.endsWith("]")) {
            return true;
        }
        String number = matcher.group(1);
        return number == null || number.equals("*") || number.equals(String.valueOf(port));
    }

    private static @Nullable String first(Pattern pattern, String text) {
        Matcher matcher = pattern.matcher(text);
        return matcher.find() ? matcher.group(1) : null;
    }

    private static String orElse(@Nullable String value, String other) {
        return value == null ? other : value;
    }
}
