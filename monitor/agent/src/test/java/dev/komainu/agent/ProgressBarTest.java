package dev.komainu.agent;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class ProgressBarTest {

    @Test
    void text_aThirdRead_twiceTheTimeIsLeft() {
        assertThat(ProgressBar.text(900_000_000L, 2_700_000_000L, TimeUnit.SECONDS.toNanos(3)))
                .isEqualTo("[##########                    ]  33 %    0.9 of 2.7 GB      6 s left");
    }

    @Test
    void text_anything_isEquallyLong() {
        long size = 2_700_000_000L;
        int length = ProgressBar.text(0, size, 1).length();
        for (long done : new long[] {0, 1, size / 2, size, size + 5}) {
            assertThat(ProgressBar.text(done, size, TimeUnit.SECONDS.toNanos(40)))
                    .hasSize(length);
        }
    }
}
