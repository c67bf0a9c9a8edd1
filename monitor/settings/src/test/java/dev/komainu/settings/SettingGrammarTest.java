package dev.komainu.settings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.komainu.settings.kit.Spellings;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

class SettingGrammarTest {

    @Test
    void spellings_areParsedAsInTheTable() throws IOException {
        hold("size", SettingGrammar::size);
        hold("duration", text -> SettingGrammar.duration(text).toMillis());
        hold("truth", SettingGrammar::truth);
        hold("share", SettingGrammar::share);
        hold("address", text -> written(SettingGrammar.address(text)));
        hold("address", text -> written(SettingGrammar.address(text, 0)));
    }

    @Test
    void isThisMachine_isTrueForLoopbackOnly_withoutALookup() {
        for (String here : new String[] {"localhost", "LocalHost", "127.0.0.9", "::1", "[::1]"}) {
            assertThat(SettingGrammar.isThisMachine(here)).as(here).isTrue();
        }
        for (String elsewhere : new String[] {
            "", "[", "web1", "localhost.example", "10.0.0.1", "0.0.0.0", "[fd00::1]"
        }) {
            assertThat(SettingGrammar.isThisMachine(elsewhere)).as(elsewhere).isFalse();
        }
    }

    @Test
    void addresses_withAPortWhereNoneIsWritten() {
        assertThat(written(SettingGrammar.address("127.0.0.1", 80))).isEqualTo("127.0.0.1:80");
        assertThat(written(SettingGrammar.address("::1", 80))).isEqualTo("[0:0:0:0:0:0:0:1]:80");
        assertThat(written(SettingGrammar.address("[::1]:81", 80)))
                .isEqualTo("[0:0:0:0:0:0:0:1]:81");
        assertThat(SettingGrammar.address("*", 80).getAddress().isAnyLocalAddress())
                .isTrue();
        assertThat(SettingGrammar.hostAndPort("web1", 80)).hasToString("web1/<unresolved>:80");
        assertThat(SettingGrammar.hostAndPort("[fd00::1]:81", 80).getHostString())
                .isEqualTo("fd00::1");
        assertThat(SettingGrammar.hostAndPort("fd00::1", 80).getPort()).isEqualTo(80);
        for (String wrong : new String[] {
            "", ":80", "*:80", "web1:0", "web1:http", "http://web1/", "a b", "[web1]"
        }) {
            assertThatThrownBy(() -> SettingGrammar.hostAndPort(wrong, 80))
                    .hasMessage(wrong + " (expected: HOST[:PORT])");
        }
        assertThatThrownBy(() -> SettingGrammar.hostAndPort("web1", 0))
                .hasMessage("web1 (expected: HOST:PORT)");
        assertThatThrownBy(() -> SettingGrammar.address("127.0.0.1:0", 80))
                .hasMessage("127.0.0.1:0 (expected: ADDRESS[:PORT])");
        assertThatThrownBy(() -> SettingGrammar.address("no-such-host.invalid", 80))
                .hasMessage(
                        "no-such-host.invalid (expected: ADDRESS[:PORT], or a name that resolves)");
    }

    private static void hold(String kind, Function<String, Object> reader) throws IOException {
        for (Spellings.Spelling one : Spellings.of(kind)) {
            if (one.value() == null) {
                assertThatThrownBy(() -> reader.apply(one.text()))
                        .as("%s %s", kind, one.text())
                        .isInstanceOf(IllegalArgumentException.class)
                        .hasMessageStartingWith(one.text() + " (expected: ");
            } else {
                assertThat(reader.apply(one.text()).toString())
                        .as("%s %s", kind, one.text())
                        .isEqualTo(one.value());
            }
        }
    }

    private static String written(InetSocketAddress address) {
        String host = address.getAddress().getHostAddress();
        return (host.contains(":") ? "[" + host + "]" : host) + ":" + address.getPort();
    }

    @Test
    void everyAddressOfThisHost_isWrittenWithoutOneOrWithAStar() {
        assertThat(SettingGrammar.address(":80").getAddress().isAnyLocalAddress())
                .isTrue();
        assertThat(SettingGrammar.address("*:80").getAddress().isAnyLocalAddress())
                .isTrue();
    }

    @Test
    void numbers_areWholeAndFinite() {
        assertThat(SettingGrammar.integer(" 12 ")).isEqualTo(12);
        assertThat(SettingGrammar.real("1.5")).isEqualTo(1.5);
        for (String wrong : new String[] {"1.5", "12345678901", "", "1e3", "\u06f1"}) {
            assertThatThrownBy(() -> SettingGrammar.integer(wrong))
                    .hasMessage(wrong + " (expected: a whole number)");
        }
        for (String wrong : new String[] {"NaN", "Infinity", "much"}) {
            assertThatThrownBy(() -> SettingGrammar.real(wrong))
                    .hasMessage(wrong + " (expected: a number)");
        }
    }

    @Test
    void lengthsThatNoLongHolds_areRefused() {
        assertThatThrownBy(() -> SettingGrammar.duration("PT99999999999999999H"))
                .isInstanceOf(IllegalArgumentException.class);
        assertThat(SettingGrammar.duration("99999999999d").toDays()).isEqualTo(99_999_999_999L);
    }
}
