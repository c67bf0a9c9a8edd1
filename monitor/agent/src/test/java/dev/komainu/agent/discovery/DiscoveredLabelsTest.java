package dev.komainu.agent.discovery;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.agent.host.linux.ProcFiles;
import dev.komainu.telemetry.record.ServiceSighting.ReportedLabel;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests of the labels that discovery finds. */
class DiscoveredLabelsTest {

    private static final String ID =
            "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";

    @TempDir
    private Path proc;

    private List<String> labels(String controlGroups) throws IOException {
        Files.createDirectories(proc.resolve("7"));
        Files.writeString(proc.resolve("7/cgroup"), controlGroups);
        return DiscoveredLabels.of(new ProcFiles(proc), 7L).stream()
                .map(ReportedLabel::label)
                .map(Object::toString)
                .toList();
    }

    @ParameterizedTest
    @CsvSource(
            nullValues = "none",
            value = {
                "0::/system.slice/nginx.service, unit=nginx",
                "0::/system.slice/system-shop.slice/shop@2.service, unit=shop@2",
                "1:name=systemd:/system.slice/apache2.service, unit=apache2",
                "0::/system.slice/docker-" + ID + ".scope, container=0123456789ab",
                "12:cpu:/docker/" + ID + ", container=0123456789ab",
                "0::/machine.slice/libpod-" + ID + ".scope, container=0123456789ab",
                "0::/kubepods.slice/kubepods-pod1.slice/cri-containerd-" + ID
                        + ".scope, container=0123456789ab",
                "0::/user.slice/session-3.scope, none",
                "0::/, none",
            })
    void of_controlGroup_unitOrContainer(String controlGroups, @Nullable String label)
            throws IOException {
        assertThat(labels(controlGroups + "\n"))
                .isEqualTo(label == null ? List.of() : List.of(label));
    }
}
