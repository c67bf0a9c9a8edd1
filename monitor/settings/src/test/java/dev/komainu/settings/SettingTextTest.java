package dev.komainu.settings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.komainu.settings.kit.Spellings;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

class SettingTextTest {

    @Test
    void spellings_areReadAsTheTableSays() throws IOException {
        hold("size", SettingText::size);
        hold("duration", text -> SettingText.duration(text).toMillis());
        hold("truth", SettingText::truth);
        hold("share", SettingText::share);
        hold("address", text -> written(SettingText.address(text)));
        hold("address", text -> written(SettingText.address(text, 0)));
    }

    @Test
    void addresses_withAPortWhereNoneIsWritten() {
        assertThat(written(SettingText.address("127.0.0.1", 80))).isEqualTo("127.0.0.1:80");
        assertThat(written(SettingText.address("::1", 80))).isEqualTo("[0:0:0:0:0:0:0:1]:80");
        assertThat(written(SettingText.address("[::1]:81", 80))).isEqualTo("[0:0:0:0:0:0:0:1]:81");
        assertThat(SettingText.address("*", 80).getAddress().isAnyLocalAddress())
                .isTrue();
        assertThat(SettingText.hostAndPort("web1", 80)).hasToString("web1/<unresolved>:80");
        assertThat(SettingText.hostAndPort("[fd00::1]:81", 80).getHostString()).isEqualTo("fd00::1");
        assertThat(SettingText.hostAndPort("fd00::1", 80).getPort()).isEqualTo(80);
        for (String wrong : new String[] {"", ":80", "*:80", "web1:0", "web1:http", "http://web1/", "a b", "[web1]"}) {
            assertThatThrownBy(() -> SettingText.hostAndPort(wrong, 80)).hasMessage(wrong + " (expected: HOST[:PORT])");
        }
        assertThatThrownBy(() -> SettingText.hostAndPort("web1", 0)).hasMessage("web1 (expected: HOST:PORT)");
        assertThatThrownBy(() -> SettingText.address("127.0.0.1:0", 80))
                .hasMessage("127.0.0.1:0 (expected: ADDRESS[:PORT])");
        assertThatThrownBy(() -> SettingText.address("no-such-host.invalid", 80))
                .hasMessage("no-such-host.invalid (expected: ADDRESS[:PORT], or a name that resolves)");
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
        assertThat(SettingText.address(":80").getAddress().isAnyLocalAddress()).isTrue();
        assertThat(SettingText.address("*:80").getAddress().isAnyLocalAddress()).isTrue();
    }

    @Test
    void numbers_areWholeAndFinite() {
        assertThat(SettingText.integer(" 12 ")).isEqualTo(12);
        assertThat(SettingText.real("1.5")).isEqualTo(1.5);
        for (String wrong : new String[] {"1.5", "12345678901", "", "1e3", "\u06f1"}) {
            assertThatThrownBy(() -> SettingText.integer(wrong)).hasMessage(wrong + " (expected: a whole number)");
        }
        for (String wrong : new String[] {"NaN", "Infinity", "much"}) {
            assertThatThrownBy(() -> SettingText.real(wrong)).hasMessage(wrong + " (expected: a number)");
        }
    }

    @Test
    void lengthsThatNoLongHolds_areRefused() {
        assertThatThrownBy(() -> SettingText.duration("PT99999999999999999H"))
                .isInstanceOf(IllegalArgumentException.class);
        assertThat(SettingText.duration("99999999999d").toDays()).isEqualTo(99_999_999_999L);
    }
}
