package dev.komainu.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.InetAddress;
import java.util.List;
import org.junit.jupiter.api.Test;

class AllowedTargetsTest {

    private static final InetAddress ELSEWHERE = InetAddress.ofLiteral("198.51.100.7");

    @Test
    void allows_noFile_loopbackOnly() {
        AllowedTargets none = AllowedTargets.none();

        assertThat(none.allows("localhost", InetAddress.ofLiteral("127.0.0.1"), 80))
                .isTrue();
        assertThat(none.allows("localhost", InetAddress.ofLiteral("::1"), 80)).isTrue();
        assertThat(none.allows("10.0.0.1", InetAddress.ofLiteral("10.0.0.1"), 80))
                .isFalse();
        assertThat(none.allows("www.example.org", ELSEWHERE, 80)).isFalse();
    }

    @Test
    void allows_listedTargetsOnly() {
        AllowedTargets some = AllowedTargets.parse(List.of(
                "# ours",
                "",
                "WWW.example.org:80",
                "192.0.2.7",
                "10.20.0.0/16:8080  # the test network",
                "[2001:db8::1]:80"));

        assertThat(some.allows("www.example.org", ELSEWHERE, 80)).isTrue();
        assertThat(some.allows("www.example.org", ELSEWHERE, 81)).isFalse();
        assertThat(some.allows("example.org", ELSEWHERE, 80)).isFalse();
        assertThat(some.allows("other", InetAddress.ofLiteral("192.0.2.7"), 4433))
                .isTrue();
        assertThat(some.allows("10.20.255.1", InetAddress.ofLiteral("10.20.255.1"), 8080))
                .isTrue();
        assertThat(some.allows("10.21.0.1", InetAddress.ofLiteral("10.21.0.1"), 8080))
                .isFalse();
        assertThat(some.allows("x", InetAddress.ofLiteral("2001:db8::1"), 80)).isTrue();
    }

    @Test
    void parse_invalidLines_reportsEach() {
        assertThatThrownBy(() -> AllowedTargets.parse(
                        List.of("a b", "host:0", "host:70000", "10.0.0.0/40", "fine:80")))
                .hasMessageContainingAll(
                        "line 1: a b",
                        "line 2: host:0",
                        "line 3: host:70000",
                        "line 4: 10.0.0.0/40")
                .hasMessageNotContaining("line 5");
    }
}
