package dev.komainu.central.label;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.komainu.central.CentralTest;
import dev.komainu.central.fleet.ServiceProfile;
import dev.komainu.telemetry.record.Label;
import dev.komainu.telemetry.record.ServiceSighting.ReportedLabel;
import java.time.Clock;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.annotation.Autowired;

/** Tests of the labels that count, and of selectors. */
class LabelBookTest extends CentralTest {

    @Autowired
    private LabelBook book;

    @Autowired
    private LabelTable table;

    private static ServiceProfile profile(ReportedLabel... labels) {
        return new ServiceProfile(
                "web-01:80",
                "web-01",
                "nginx :80",
                "nginx",
                null,
                List.of(),
                null,
                null,
                List.of(),
                Set.of("agent@web-01"),
                1,
                1,
                List.of(labels));
    }

    private static ReportedLabel agent(String value) {
        return new ReportedLabel("team", value, ReportedLabel.OF_SETTINGS);
    }

    private static ReportedLabel discovered(String value) {
        return new ReportedLabel("team", value, "/proc/7/cgroup");
    }

    @Test
    void of_severalOrigins_handThenAgentThenRuleThenDiscovery() {
        ServiceProfile found = profile(discovered("discovered"));
        ServiceProfile told = profile(discovered("discovered"), agent("agent"));
        assertThat(book.of(found).value("team")).isEqualTo("discovered");

        LabelRule rule = Objects.requireNonNull(
                book.addRule("web-*:80", null, null, new Label("team", "rule"), "admin"));
        assertThat(book.of(found).value("team")).isEqualTo("rule");
        assertThat(book.of(told).value("team")).isEqualTo("agent");

        book.set("web-01:80", new Label("team", "hand"), "admin");
        assertThat(book.of(told).value("team")).isEqualTo("hand");
        assertThat(book.given(told))
                .extracting(each -> each.origin().text())
                .containsExactly("hand", "agent", "rule", "discovery");
        assertThat(new LabelBook(table, Clock.systemUTC()).of(told).value("team"))
                .as("after a restart")
                .isEqualTo("hand");

        book.unset("web-01:80", "team");
        book.deleteRule(rule.id());
        assertThat(book.of(found).value("team")).isEqualTo("discovered");
    }

    @Test
    void of_twoRulesForOneKey_theOldestCounts() {
        LabelRule first = Objects.requireNonNull(
                book.addRule(null, "web-*", null, new Label("tier", "first"), "admin"));
        LabelRule second = Objects.requireNonNull(
                book.addRule(null, null, "nginx", new Label("tier", "second"), "admin"));
        assertThat(book.of(profile()).value("tier")).isEqualTo("first");

        book.deleteRule(first.id());
        assertThat(book.of(profile()).value("tier")).isEqualTo("second");
        book.deleteRule(second.id());
        assertThat(book.of(profile()).value("tier")).isNull();
    }

    @Test
    void set_moreThanAServiceMayHave_refused() {
        for (int n = 0; n < Label.MOST_OF_A_SERVICE; n++) {
            assertThat(book.set("full:80", new Label("k" + n, "v"), "admin"))
                    .isEqualTo(LabelBook.Outcome.DONE);
        }
        assertThat(book.set("full:80", new Label("more", "v"), "admin"))
                .isEqualTo(LabelBook.Outcome.FULL);
        assertThat(book.set("full:80", new Label("k3", "other"), "admin"))
                .isEqualTo(LabelBook.Outcome.DONE);
        for (int n = 0; n < Label.MOST_OF_A_SERVICE; n++) {
            book.unset("full:80", "k" + n);
        }
    }

    @Test
    void selector_severalLabels_allMustMatch() {
        ServiceLabels shop = book.of(profile(
                agent("shop"), new ReportedLabel("tier", "web", ReportedLabel.OF_SETTINGS)));

        assertThat(LabelSelector.parse("tier=web, team=shop")).hasToString("team=shop,tier=web");
        assertThat(LabelSelector.parse("tier=web,team=shop").matches(shop)).isTrue();
        assertThat(LabelSelector.parse("team=shop,tier=db").matches(shop)).isFalse();
        assertThat(LabelSelector.parse("team=shop,zone=a").matches(shop)).isFalse();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "team",
                "=shop",
                "team=",
                "Team=shop",
                "team=a,team=b",
                "team=shop,",
                "a b=c",
                "a=1,b=1,c=1,d=1,e=1,f=1"
            })
    void selector_wrongForm_refusedWithTheExpectation(String text) {
        assertThatThrownBy(() -> LabelSelector.parse(text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("expected: ");
        assertThat(LabelSelector.isSelector(text)).isFalse();
    }
}
