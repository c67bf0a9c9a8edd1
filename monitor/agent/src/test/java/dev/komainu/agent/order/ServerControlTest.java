package dev.komainu.agent.order;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ServerControlTest {

    @Test
    void userIds_ofAServerWithLoweredPrivileges_includeTheSavedOne() {
        assertThat(ServerControl.userIds(
                        "Name:\tsquid\nUid:\t13\t13\t0\t13\nGid:\t13\t13\t13\t13\n"))
                .containsExactly("13", "13", "0");
        assertThat(ServerControl.userIds("")).isEmpty();
    }

    @Test
    void catches_aSignalThatIsIgnored_isFalse() {
        String starting = "SigIgn:\t0000000000000001\nSigCgt:\t0000000000000002\n";
        assertThat(ServerControl.catches(starting, KernelCalls.HUP)).isFalse();
        String ready = "SigIgn:\t0000000000001000\nSigCgt:\t0000000000000a01\n";
        assertThat(ServerControl.catches(ready, KernelCalls.HUP)).isTrue();
        assertThat(ServerControl.catches(ready, KernelCalls.USR1)).isTrue();
        assertThat(ServerControl.catches(ready, KernelCalls.USR2)).isTrue();
        assertThat(ServerControl.catches(ready, KernelCalls.TERM)).isFalse();
        assertThat(ServerControl.catches("", KernelCalls.HUP)).isTrue();
    }
}
