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
