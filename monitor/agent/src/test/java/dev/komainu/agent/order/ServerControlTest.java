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
}
