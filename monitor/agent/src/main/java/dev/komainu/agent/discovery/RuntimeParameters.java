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
 * What a server was told while it runs, over what it was started with; as last asked. Of the
 * servers known here only Varnish can be told so and keeps it nowhere else. One thread at a time.
 */
final class RuntimeParameters {

    private final Map<Long, Asked> ofProcess = new HashMap<>();

    private record Asked(
            @Nullable VarnishAdministration administration, Map<String, String> values) {}

    /**
     * Asks all of them again; whether something differs. One that does not answer now keeps what it
     * said.
     */
    boolean read() {
        boolean differs = false;
        for (Map.Entry<Long, Asked> entry : ofProcess.entrySet()) {
            VarnishAdministration administration = entry.getValue().administration();
            Map<String, String> now =
                    administration == null ? Map.of() : administration.parameters();
            if (!now.isEmpty() && !now.equals(entry.getValue().values())) {
                entry.setValue(new Asked(administration, now));
                differs = true;
            }
        }
        return differs;
    }

    /** Further processes than these are forgotten. */
    void watch(Set<Long> processIds) {
        ofProcess.keySet().retainAll(processIds);
    }

    /** The settings with the values that are in force; asked now if the process is new. */
    List<Setting> over(ServerKind kind, ServerProcess process, List<Setting> started) {
        if (kind != ServerKind.VARNISH) {
            return started;
        }
        Map<String, String> values = ofProcess
                .computeIfAbsent(process.id(), id -> {
                    VarnishAdministration administration = VarnishAdministration.of(process);
                    return new Asked(
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
                                    setting.source() + " (there " + setting.value()
                                            + ", changed while it runs)");
                })
                .toList();
    }
}
