package dev.komainu.agent.discovery;

import dev.komainu.agent.host.linux.ProcFiles;
import dev.komainu.telemetry.record.Label;
import dev.komainu.telemetry.record.ServiceSighting.ReportedLabel;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The labels that discovery gives to a server. Files that are read anyway; nothing is asked.
 *
 * <pre>
 * unit        the systemd unit of its process, without ".service"        /proc/PID/cgroup
 * container   the first 12 digits of the container's id (Docker, Podman,  /proc/PID/cgroup
 *             containerd, CRI-O)
 * </pre>
 *
 * A value that has not the form of a label gives none.
 */
final class DiscoveredLabels {

    private static final String SERVICE = ".service";
    private static final Pattern CONTAINER = Pattern.compile(
            "(?:^|[/-])([0-9a-f]{12})[0-9a-f]{52}(?:\\.scope)?$", Pattern.MULTILINE);

    private DiscoveredLabels() {}

    /**
     * Returns the labels of a server.
     *
     * @param processId its process; absent without permission to read it
     */
    static List<ReportedLabel> of(ProcFiles proc, @Nullable Long processId) {
        List<ReportedLabel> labels = new ArrayList<>();
        if (processId != null) {
            String groups = proc.text(processId + "/cgroup");
            String place = "/proc/" + processId + "/cgroup";
            add(labels, "unit", unit(groups), place);
            Matcher container = CONTAINER.matcher(groups);
            add(labels, "container", container.find() ? container.group(1) : null, place);
        }
        return labels;
    }

    private static @Nullable String unit(String groups) {
        for (String line : groups.split("\n")) {
            String[] parts = line.split(":", 3);
            if (parts.length == 3 && (parts[1].isEmpty() || parts[1].equals("name=systemd"))) {
                String[] names = parts[2].split("/");
                for (int i = names.length - 1; i >= 0; i--) {
                    if (names[i].endsWith(SERVICE)) {
                        return names[i].substring(0, names[i].length() - SERVICE.length());
                    }
                }
            }
        }
        return null;
    }

    private static void add(
            List<ReportedLabel> labels, String key, @Nullable String value, String source) {
        if (value != null && Label.isValue(value)) {
            labels.add(new ReportedLabel(key, value, source));
        }
    }
}
