package dev.komainu.agent.discovery;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.agent.discovery.program.ServerKind;
import dev.komainu.agent.discovery.program.ServerProcess;
import java.util.List;
import org.junit.jupiter.api.Test;

class ControlPortsTest {

    @Test
    void isControl_portOfTheProxyWithoutClients_isTrue() {
        ServerProcess proxy =
                process("java", "dev.komainu.proxy.ProxyServer", "--listen", "127.0.0.1:7680");
        assertThat(ControlPorts.isControl(ServerKind.KOMAINU, proxy, 7681)).isTrue();
        assertThat(ControlPorts.isControl(ServerKind.KOMAINU, proxy, 7680)).isFalse();
    }

    @Test
    void isControl_portOfVarnishWithoutClients_isTrue() {
        ServerProcess varnish =
                process("varnishd", "-a", "http=:6081,PROXY", "-a", "127.0.0.1:80", "-f", "x");
        assertThat(ControlPorts.isControl(ServerKind.VARNISH, varnish, 6081)).isFalse();
        assertThat(ControlPorts.isControl(ServerKind.VARNISH, varnish, 80)).isFalse();
        assertThat(ControlPorts.isControl(ServerKind.VARNISH, varnish, 43117)).isTrue();
        assertThat(ControlPorts.isControl(
                        ServerKind.VARNISH, process("varnishd", "-T", "localhost:99"), 99))
                .isTrue();
    }

    private static ServerProcess process(String... arguments) {
        return new ServerProcess(1, "/x/" + arguments[0], List.of(arguments), true, "/");
    }
}
