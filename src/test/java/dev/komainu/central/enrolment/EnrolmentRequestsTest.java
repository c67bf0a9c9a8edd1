package dev.komainu.central.enrolment;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.central.CentralTest;
import dev.komainu.central.access.Audit;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;

/**
 * Tests of requests for codes by files, at a service in clear text: it refuses them with reasons.
 */
class EnrolmentRequestsTest extends CentralTest {

    @Autowired
    private EnrolmentCodes codes;

    @Autowired
    private EnrolmentService enrolment;

    @Autowired
    private Audit audit;

    private String refusal(String name, String content) throws Exception {
        return answer(name, content, ".refused");
    }

    private String answer(String name, String content, String end) throws Exception {
        Path directory = data().resolve("enrol-test");
        Files.createDirectories(directory);
        Files.writeString(directory.resolve(name + ".request"), content);
        new EnrolmentRequests(directory, 7600, codes, enrolment, audit, () -> List.of("agent@old"))
                .answerAll();
        assertThat(directory.resolve(name + ".request")).doesNotExist();
        return Files.readString(directory.resolve(name + end));
    }

    @Test
    void mistakes_areNamedAsOptions() throws Exception {
        assertThat(refusal("a", "uses=1\n")).contains("--kind: none");
        assertThat(refusal("b", "kind=router\n")).contains("--kind: router (expected: one of");
        assertThat(refusal("c", "kind=agent\nnetwork=192.0.2.1/24\n"))
                .contains("--network: 192.0.2.1/24");
        assertThat(refusal("d", "kind=agent\nuses=101\n"))
                .contains("--uses: 101 (expected: 1 to 100)");
        assertThat(refusal("e", "kind=agent\nminutes=x\n")).contains("--minutes: x");
        assertThat(refusal("f", "color=red\n")).contains("color=red (unknown)");
        assertThat(refusal("g", "kind=agent\n".repeat(1_000))).contains("--kind: none");
    }

    @Test
    void sourcesWithTheSharedToken_areListed() throws Exception {
        assertThat(answer("i", "left\n", ".left")).isEqualTo("agent@old\n");
    }

    @Test
    void serviceInClearText_makesNoCodes() throws Exception {
        assertThat(refusal("h", "kind=agent\n")).contains("komainu.tls.mode", "komainu.listen");
    }
}
