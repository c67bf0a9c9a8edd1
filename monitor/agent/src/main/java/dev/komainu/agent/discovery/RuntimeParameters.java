package dev.komainu.agent.discovery;

import dev.komainu.agent.discovery.program.ServerKind;
import dev.komainu.agent.discovery.program.ServerProcess;
import dev.komainu.agent.discovery.varnish.VarnishAdministration;
import dev.komainu.telemetry.record.ServiceSighting.Setting;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The parameters changed while a server runs, which override those of its start; as last queried.
 * Among the supported servers only Varnish accepts such changes without storing them elsewhere. One
 * thread at a time.
 */
final class RuntimeParameters {

    private final Map<Long, RunningVarnish> ofProcess = new HashMap<>();

    private record RunningVarnish(
            @Nullable VarnishAdministration administration, Map<String, String> values) {}

    /**
     * Queries all servers again and reports whether any value changed. A server that does not
     * respond keeps its last values.
     */
    boolean read() {
        boolean differs = false;
        for (Map.Entry<Long, RunningVarnish> entry : ofProcess.entrySet()) {
            VarnishAdministration administration = entry.getValue().administration();
            Map<String, String> now =
                    administration == null ? Map.of() : administration.parameters();
            if (!now.isEmpty() && !now.equals(entry.getValue().values())) {
                entry.setValue(new RunningVarnish(administration, now));
                differs = true;
            }
        }
        return differs;
    }

    /** Discards the values of all other processes. */
    void retain(Set<Long> processIds) {
        ofProcess.keySet().retainAll(processIds);
    }

    /**
     * Returns the settings with the values in force. Queries the server when its process is new.
     */
    List<Setting> withRuntimeValues(ServerKind kind, ServerProcess process, List<Setting> started) {
        if (kind != ServerKind.VARNISH) {
            return started;
        }
        Map<String, String> values = ofProcess
                .computeIfAbsent(process.id(), id -> {
                    VarnishAdministration administration = VarnishAdministration.of(process);
                    return new RunningVarnish(
                            administration,
                            administration == null ? Map.of() : administration.parameters());
                })
                .values();
        return started.stream()
                .map(setting -> {
                    String value = values.get(setting.name());
                    return value == null || VarnishAdministration.isSame(value, setting.value())
                            ? setting
                            : new Setting(
                                    setting.name(),
                                    value,
                                    setting.source() + " (configured " + setting.value()
                                            + ", changed at run time)");
                })
                .toList();
    }
}
