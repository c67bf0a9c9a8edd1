package dev.komainu.agent.discovery.varnish;

import dev.komainu.agent.discovery.configuration.ConfigurationFindings;
import dev.komainu.agent.discovery.configuration.ConfigurationReader;
import dev.komainu.agent.discovery.configuration.ConfigurationSubject;
import dev.komainu.agent.discovery.configuration.Upstream;
import dev.komainu.agent.discovery.program.ServerProcess;
import java.util.List;
import java.util.regex.Pattern;

/**
 * Reads the start configuration of a varnishd: {@code -p} parameters, {@code -s} stores,
 * {@code -t}, the lines of its {@code -I} file, the backends of its {@code -f} program or
 * {@code -b}. {@link VarnishAdministration} reads later changes.
 */
public final class VarnishReader implements ConfigurationReader {

    private static final Pattern SIZE = Pattern.compile("\\d{1,15}[kKmMgGtT]?[bB]?|\\d{1,3}%");
    private static final List<String> VCL_PATH =
            List.of("/etc/varnish", "/usr/share/varnish/vcl", "/usr/local/etc/varnish");

    @Override
    public void read(ConfigurationSubject subject, ConfigurationFindings findings) {
        ServerProcess process = subject.process();
        findings.expect(VarnishParameters.knobs(subject.programOutput().apply("-x parameter")));
        for (String parameter : process.options("-p")) {
            int equals = parameter.indexOf('=');
            if (equals > 0) {
                findings.put(
                        parameter.substring(0, equals),
                        parameter.substring(equals + 1),
                        "command line -p");
            }
        }
        String ttl = process.option("-t");
        if (ttl != null) {
            findings.put("default_ttl", ttl, "command line -t");
        }
        stores(process, findings);
        commands(subject, findings);
        for (String backend : process.options("-b")) {
            if (!backend.equals("none")) {
                findings.upstream(Upstream.parse(backend, 80, "command line -b"));
            }
        }
        VclBackends vcl = new VclBackends(subject.files(), VCL_PATH, findings);
        for (String program : process.options("-f")) {
            if (!program.isEmpty()) {
                vcl.read(
                        program.indexOf('/') < 0
                                        && !subject.files().exists(subject.absolute(program, ""))
                                ? VCL_PATH.getFirst() + "/" + program
                                : subject.absolute(program, ""));
            }
        }
        findings.logsElsewhere("shared memory", findings.defaultSource());
    }

    /** Reads {@code [NAME=]KIND[,FILE],SIZE[,…]}; the file's name is not reported. */
    private static void stores(ServerProcess process, ConfigurationFindings findings) {
        int number = 0;
        for (String store : process.options("-s")) {
            String[] parts = store.substring(store.indexOf('=') + 1).split(",");
            StringBuilder shown = new StringBuilder(parts[0]);
            for (int i = 1; i < parts.length; i++) {
                if (SIZE.matcher(parts[i]).matches()) {
                    shown.append(' ').append(parts[i]);
                    break;
                }
            }
            number++;
            findings.putDerived(
                    number == 1 ? "storage" : "storage:" + number,
                    shown.toString(),
                    "command line -s");
        }
        if (number == 0) {
            findings.putDerived("storage", "malloc 100m", findings.defaultSource());
        }
    }

    private static void commands(ConfigurationSubject subject, ConfigurationFindings findings) {
        String path = subject.process().option("-I");
        List<String> lines =
                path == null ? null : subject.files().lines(subject.absolute(path, ""));
        if (lines == null || path == null) {
            return;
        }
        for (int i = 0; i < lines.size(); i++) {
            String[] words = lines.get(i).strip().split("\\s+");
            if (words.length == 3 && words[0].equals("param.set")) {
                findings.put(words[1], words[2], subject.absolute(path, "") + ":" + (i + 1));
            }
        }
    }
}
