package dev.komainu.agent.discovery;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class SocketOwnerCacheTest {

    @Test
    void startTicks_nameWithSpacesAndParentheses_isSkipped() {
        String fields = " S 1 2 3 0 -1 4 5 6 7 8 9 10 11 12 20 0 1 0 ";
        assertThat(SocketOwnerCache.startTicks("7 (odd) name) (x)" + fields + "123456 99\n"))
                .isEqualTo(123_456);
        assertThat(SocketOwnerCache.startTicks("7 (nginx) S 1")).isEqualTo(-1);
        assertThat(SocketOwnerCache.startTicks(null)).isEqualTo(-1);
    }

    @Test
    void startTicks_thisProcess_isPositive() throws Exception {
        String stat = java.nio.file.Files.readString(java.nio.file.Path.of("/proc/self/stat"));
        assertThat(SocketOwnerCache.startTicks(stat)).isPositive();
    }
}
