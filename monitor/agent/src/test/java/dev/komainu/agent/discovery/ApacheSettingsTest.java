package dev.komainu.agent.discovery;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.telemetry.record.ServiceSighting.Setting;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ApacheSettingsTest {

    @TempDir
    Path root;

    @Test
    void read_debianLayout_takesTheRunningModulesValues() throws Exception {
        Files.createDirectories(root.resolve("mods-enabled"));
        Path main = root.resolve("apache2.conf");
        Files.writeString(main, """
                DefaultRuntimeDir ${APACHE_RUN_DIR}
                Timeout 300
                KeepAlive On
                IncludeOptional ${CONF}/*.conf
                <VirtualHost *:80>
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
                        new Setting("MPM", "prefork", "running"),
                        new Setting("StartServers", "5", mpm + ":2"),
                        new Setting("MaxRequestWorkers", "150", mpm + ":3"),
                        new Setting("MinSpareServers", "5", "default"),
                        new Setting("KeepAliveTimeout", "7", main + ":8"),
                        new Setting("Timeout", "300", main + ":2"),
                        new Setting("ListenBacklog", "4096", main + ":11"));
        assertThat(read("event", environment, List.of()))
                .contains(
                        new Setting("StartServers", "2", mpm + ":6"),
                        new Setting("MaxRequestWorkers", "800", mpm + ":8"),
                        new Setting("ThreadsPerChild", "25", "default"),
                        new Setting("ListenBacklog", "511", "default"));
    }

    private List<Setting> read(String mpm, Map<String, String> environment, List<String> defines) {
        return ApacheSettings.read(
                SettingsSource.ofThisHost(), "apache2.conf", root.toString(), mpm, environment, defines);
    }
}
