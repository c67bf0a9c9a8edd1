package dev.komainu.agent.connection.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Memory cost of an open connection. */
class ConnectionRowTest {

    @Test
    void row_andItsSlotsInTheIndex_areAtMost300Bytes() {
        assertThat(ConnectionRow.BYTES + 8 / 0.375)
                .as("bytes of an open connection")
                .isLessThanOrEqualTo(300);
    }
}
