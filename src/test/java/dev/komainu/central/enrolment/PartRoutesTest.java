package dev.komainu.central.enrolment;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.central.CentralTest;
import dev.komainu.central.access.ReportingBounds;
import dev.komainu.central.access.Role;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import tools.jackson.databind.JsonNode;

/** Tests of the parts as administrators see them. */
class PartRoutesTest extends CentralTest {

    @Autowired
    private Parts parts;

    private void add(String host, String code) {
        Instant now = Instant.now().truncatedTo(ChronoUnit.SECONDS);
        parts.add(
                new Part(
                        UUID.randomUUID().toString(),
                        PartKind.AGENT,
                        ReportingBounds.of("agent@" + host, host, ""),
                        code,
                        now,
                        "admin",
                        "1",
                        now,
                        now.plus(Duration.ofDays(30)),
                        null,
                        null,
                        null,
                        null,
                        null,
                        null),
                "0".repeat(64));
    }

    private JsonNode listed(String host) {
        for (JsonNode part : browser(Role.ADMINISTRATOR)
                .get("/api/v1/parts")
                .expect(200)
                .json()
                .get("parts")) {
            if (part.get("source").asString().equals("agent@" + host)) {
                return part;
            }
        }
        throw new AssertionError(host + " is not listed");
    }

    @Test
    void part_namesTheCodeItCameWith_unlessItWasRecognizedByItsCertificate() {
        add("listed-1", "ab12cd34");
        add("listed-2", "");

        assertThat(listed("listed-1").get("code").asString()).isEqualTo("ab12cd34");
        assertThat(listed("listed-2").get("code").isNull()).isTrue();
    }
}
