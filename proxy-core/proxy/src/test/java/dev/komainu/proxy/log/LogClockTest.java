package dev.komainu.proxy.log;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.ZoneId;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The hour that occurs twice, the one that is skipped, and 29 February: the offset makes each
 * line's instant unambiguous.
 */
class LogClockTest {

    @ParameterizedTest
    @CsvSource({
        "Europe/Berlin, 2026-10-25T00:30:00Z, 25/Oct/2026:02:30:00 +0200",
        "Europe/Berlin, 2026-10-25T01:30:00Z, 25/Oct/2026:02:30:00 +0100",
        "Europe/Berlin, 2026-03-29T00:59:59Z, 29/Mar/2026:01:59:59 +0100",
        "Europe/Berlin, 2026-03-29T01:00:00Z, 29/Mar/2026:03:00:00 +0200",
        "America/Santiago, 2026-04-05T02:59:59Z, 04/Apr/2026:23:59:59 -0300",
        "America/Santiago, 2026-04-05T03:00:00Z, 04/Apr/2026:23:00:00 -0400",
        "America/Santiago, 2028-02-29T12:00:00Z, 29/Feb/2028:09:00:00 -0300",
        "UTC, 2028-02-29T23:59:59Z, 29/Feb/2028:23:59:59 +0000"
    })
    void common_aroundChangesOfTheClock(String zone, Instant at, String written) {
        byte[] text = new LogClock(ZoneId.of(zone)).common(at.toEpochMilli());
        assertThat(new String(text, StandardCharsets.US_ASCII)).isEqualTo(written);
    }
}
