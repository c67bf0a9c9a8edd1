package dev.komainu.agent.discovery.apache;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.agent.discovery.configuration.ConfigurationFiles;
import dev.komainu.agent.discovery.configuration.ConfigurationFindings;
import dev.komainu.agent.discovery.program.ProcessEnvironment;
import dev.komainu.agent.discovery.program.ProgramVersion;
import dev.komainu.agent.discovery.program.ServerProcess;
import dev.komainu.telemetry.record.ServiceSighting.Setting;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ApacheReaderTest {

    @TempDir
    Path root;

    @Test
    void read_debianLayout_returnsTheActiveModulesValues() throws Exception {
        Files.createDirectories(root.resolve("mods-enabled"));
        Path main = root.resolve("apache2.conf");
        Files.writeString(main, """
                DefaultRuntimeDir ${APACHE_RUN_DIR}
                Timeout 300
                KeepAlive On
                IncludeOptional ${CONF}/*.conf
                <VirtualHost *:8080>
                    KeepAliveTimeout 99
                </VirtualHost>
                KeepAliveTimeout \\
                    7
                <IfDefine Tuned>
                    ListenBacklog 4096
                </IfDefine>
                """);
        Path mpm = root.resolve("mods-enabled/mpm.conf");
        Files.writeString(mpm, """
                <IfModule mpm_prefork_module>
                    StartServers 5
                    MaxClients 150
                </IfModule>
                <IfModule !mpm_prefork_module>
                    StartServers 2
                    <IfModule mpm_event_module>
                        MaxRequestWorkers 800
                    </IfModule>
                </IfModule>
                """);
        Map<String, String> environment = Map.of("CONF", "mods-enabled", "APACHE_RUN_DIR", "/run");
        assertThat(read("prefork", environment, List.of("Tuned")))
                .contains(
                        new Setting("StartServers", "5", mpm + ":2"),
                        new Setting("MaxRequestWorkers", "150", mpm + ":3"),
                        new Setting("MinSpareServers", "5", "default of apache 2.4.66"),
                        new Setting("KeepAliveTimeout", "7", main + ":8"),
                        new Setting("Timeout", "300", main + ":2"),
                        new Setting("ListenBacklog", "4096", main + ":11"));
        assertThat(read("event", environment, List.of()))
                .contains(
                        new Setting("StartServers", "2", mpm + ":6"),
                        new Setting(
                                "MaxRequestWorkers",
                                "400",
                                mpm
                                        + ":8 (800, changed by whole children of 25 threads, ServerLimit 16)"),
                        new Setting("ThreadsPerChild", "25", "default of apache 2.4.66"),
                        new Setting("ListenBacklog", "511", "default of apache 2.4.66"));
    }

    private List<Setting> read(String mpm, Map<String, String> environment, List<String> defines) {
        ConfigurationFindings findings = new ConfigurationFindings("apache", "2.4.66");
        ConfigurationFiles files = ConfigurationFiles.ofThisHost();
        List<String> arguments = new ArrayList<>(List.of("apache2"));
        defines.forEach(name -> arguments.addAll(List.of("-D", name)));
        String[] variables = environment.entrySet().stream()
                .map(e -> e.getKey() + "=" + e.getValue())
                .toArray(String[]::new);
        ApacheReader.read(
                files,
                new ApacheReader.Start(
                        "apache2.conf",
                        root.toString(),
                        mpm,
                        ProcessEnvironment.of(variables),
                        ProgramVersion.of("2.4.66"),
                        new ServerProcess(1, "/usr/sbin/apache2", arguments, true, "/")),
                80,
                findings);
        return findings.configuration(files).settings();
    }
}
