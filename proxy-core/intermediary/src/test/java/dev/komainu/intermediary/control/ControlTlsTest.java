package dev.komainu.intermediary.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

/** The condition of TLS at a control endpoint, and the message without it. */
class ControlTlsTest {

    private static ControlSettings at(String address, ControlTlsMode mode) {
        return new ControlSettings(
                new InetSocketAddress(InetAddress.ofLiteral(address), 7681), null, false, mode);
    }

    @Test
    void isEncrypted_dependsOnModeAndAddress() {
        assertThat(ControlTls.isEncrypted(ControlTlsMode.AUTO, true)).isFalse();
        assertThat(ControlTls.isEncrypted(ControlTlsMode.AUTO, false)).isTrue();
        assertThat(ControlTls.isEncrypted(ControlTlsMode.ALWAYS, true)).isTrue();
        assertThat(ControlTls.isEncrypted(ControlTlsMode.OFF, false)).isFalse();
    }

    @Test
    void of_noIdentity_isToldInOneLineWhereTokensCrossANetwork() throws Exception {
        assertThat(told(at("192.0.2.1", ControlTlsMode.AUTO)))
                .containsOnlyOnce("The control endpoint at 192.0.2.1:7681 is in clear text")
                .contains("--enrol CODE");
        assertThat(told(at("192.0.2.1", ControlTlsMode.OFF))).contains("(control.tls: off)");
        assertThat(told(at("127.0.0.1", ControlTlsMode.AUTO))).isEmpty();
        assertThat(told(at("127.0.0.1", ControlTlsMode.OFF))).isEmpty();
    }

    @Test
    void of_alwaysWithoutIdentity_endsTheStart() {
        assertThatThrownBy(() -> ControlTls.of(at("127.0.0.1", ControlTlsMode.ALWAYS), null))
                .isInstanceOf(IOException.class)
                .hasMessageStartingWith("control.tls: always (expected: an identity");
    }

    private static String told(ControlSettings settings) throws IOException {
        ByteArrayOutputStream told = new ByteArrayOutputStream();
        PrintStream before = System.err;
        System.setErr(new PrintStream(told, true, StandardCharsets.UTF_8));
        try {
            assertThat(ControlTls.of(settings, null)).isNull();
        } finally {
            System.setErr(before);
        }
        return told.toString(StandardCharsets.UTF_8);
    }
}
