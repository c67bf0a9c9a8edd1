package dev.komainu.telemetry.identity;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import org.junit.jupiter.api.Test;

class ResponseClocksTest {

    private static final Instant OWN = Instant.parse("2026-11-28T10:00:00Z");

    private final ResponseClocks clocks = new ResponseClocks(Clock.fixed(OWN, ZoneOffset.UTC));

    private String told(Instant... dates) {
        ByteArrayOutputStream told = new ByteArrayOutputStream();
        PrintStream before = System.err;
        System.setErr(new PrintStream(told, true, StandardCharsets.UTF_8));
        try {
            for (Instant date : dates) {
                clocks.note(date == null ? 0 : date.toEpochMilli());
            }
        } finally {
            System.setErr(before);
        }
        return told.toString(StandardCharsets.UTF_8);
    }

    @Test
    void difference_isToldOnce_andItsEnd() {
        Instant yesterday = OWN.minus(Duration.ofDays(1));

        assertThat(told(yesterday, yesterday.plusSeconds(1), OWN))
                .containsOnlyOnce("this host's is 24 h 0 min ahead")
                .contains("that of the central service 2026-11-27T10:00:00Z")
                .containsOnlyOnce("agree again");
    }

    @Test
    void secondsOfDifference_orNoDate_areNotTold() {
        assertThat(told(OWN.plusSeconds(50), null, OWN)).isEmpty();
    }
}
