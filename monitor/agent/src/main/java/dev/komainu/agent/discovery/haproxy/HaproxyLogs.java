package dev.komainu.agent.discovery.haproxy;

import dev.komainu.agent.discovery.configuration.ConfigurationFindings;
import dev.komainu.agent.discovery.haproxy.HaproxyFile.Line;
import dev.komainu.agent.discovery.haproxy.HaproxyFile.Section;
import java.util.List;

/**
 * The log targets of HAProxy, which never writes a log file itself: syslog, a ring, standard
 * output, or none.
 */
final class HaproxyLogs {

    private HaproxyLogs() {}

    static void read(List<Section> sections, ConfigurationFindings findings) {
        for (Section section : sections) {
            for (Line line : section.named("log")) {
                String target = line.word(1);
                if (!target.equals("global") && !target.isEmpty()) {
                    boolean stream = target.equals("stdout")
                            || target.equals("stderr")
                            || target.startsWith("fd@");
                    findings.logsElsewhere(
                            stream
                                    ? "standard output"
                                    : target.startsWith("ring@") ? "ring" : "syslog",
                            line.source());
                    return;
                }
            }
        }
        findings.logsElsewhere("off", findings.defaultSource());
    }
}
