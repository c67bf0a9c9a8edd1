package dev.komainu.agent.connection.exchange;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.agent.connection.AnalyzerConfig;
import dev.komainu.agent.packet.Talk;
import dev.komainu.agent.summary.Analysis;
import dev.komainu.telemetry.record.ConnectionRecord;
import java.util.ArrayList;
import java.util.Set;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

/** Client and request data that reach a record. */
class PrivacyRulesTest {

    private static final PrivacyRules MASKED = new PrivacyRules(true, PrivacyRules.Targets.NONE);

    @Test
    void maskedClients_networkAndPortRemain_theServerIsShown() {
        ConnectionRecord four = of(talk("10.1.2.3:40000", "10.0.0.2:80").get("/a"), MASKED);
        assertThat(four.client()).hasToString("10.1.2.0:40000");
        assertThat(four.server()).hasToString("10.0.0.2:80");
        ConnectionRecord six =
                of(talk("[2001:db8:1:2:3::4]:40000", "[2001:db8::2]:80").get("/a"), MASKED);
        assertThat(six.client()).hasToString("[2001:db8:1::]:40000");
        assertThat(four.exchanges().getFirst().target()).isNull();
        assertThat(four.exchanges().getFirst().method()).isEqualTo("GET");
    }

    @Test
    void userNamesAndQueries_areNeverKept() {
        assertThat(target(
                        "http://user:secret@shop.example/cart?card=4711",
                        PrivacyRules.Targets.FULL))
                .isEqualTo("http://shop.example/cart");
        assertThat(target("http://u@x:p@shop.example/", PrivacyRules.Targets.FULL))
                .isEqualTo("http://shop.example/");
        assertThat(target("http://shop.example/@home", PrivacyRules.Targets.FULL))
                .isEqualTo("http://shop.example/@home");
        assertThat(target("/mail/me@here", PrivacyRules.Targets.PATH)).isEqualTo("/mail/me@here");
        assertThat(target("ftp://u:p@h", PrivacyRules.Targets.PATH)).isEqualTo("ftp://h");
    }

    @Test
    void pathParameters_onlyWhereConfigured() {
        assertThat(target("/a;jsessionid=5F3A/b;v=1", PrivacyRules.Targets.PATH))
                .isEqualTo("/a/b");
        assertThat(target("/a;jsessionid=5F3A/b;v=1", PrivacyRules.Targets.FULL))
                .isEqualTo("/a;jsessionid=5F3A/b;v=1");
    }

    /** The password must not remain when the cut falls into it. */
    @Property
    void userNameOfAnyLength_isNeverKept(@ForAll @IntRange(min = 1, max = 400) int length) {
        String kept =
                target("http://user:" + "s".repeat(length) + "@h/p", PrivacyRules.Targets.FULL);
        if (kept != null) {
            assertThat("http://h/p").startsWith(kept);
        }
    }

    private static String target(String sent, PrivacyRules.Targets targets) {
        return of(talk("10.1.2.3:40000", "10.0.0.2:80").get(sent), new PrivacyRules(false, targets))
                .exchanges()
                .getFirst()
                .target();
    }

    private static Talk talk(String client, String server) {
        return new Talk(client, server, 1, 2, new ArrayList<>()).handshake();
    }

    private static ConnectionRecord of(Talk talk, PrivacyRules privacy) {
        return Analysis.of(talk.frames(), AnalyzerConfig.file(Set.of()).withPrivacy(privacy))
                .connection();
    }
}
