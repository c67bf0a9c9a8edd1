package dev.komainu.central.clickhouse;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ClickHouseAddressTest {

    @ParameterizedTest
    @CsvSource({
        "http://127.0.0.1/komainu, http://127.0.0.1:8123/komainu",
        "http://localhost:18123/k_1/, http://localhost:18123/k_1",
        "http://[::1]:9/k, http://[::1]:9/k",
        "https://clickhouse.example/komainu, https://clickhouse.example:8443/komainu",
        "HTTPS://clickhouse.example:443/komainu, https://clickhouse.example:443/komainu",
        "'https://a.example,b.example:9/k', 'https://a.example:8443,b.example:9/k'",
        "'http://localhost:1,[::1]:2/k', 'http://localhost:1,[::1]:2/k'"
    })
    void parse_address_hasItsPortAndDatabase(String text, String expected) {
        assertThat(ClickHouseAddress.parse(text)).hasToString(expected);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "clickhouse.example",
                "jdbc:clickhouse://h/k",
                "ftp://localhost/k",
                "http://localhost",
                "http://localhost/",
                "http://localhost/a/b",
                "http://localhost/a-b",
                "http://localhost/k?password=x",
                "http://localhost/k#x",
                "http:// localhost/k",
                "http://localhost,/k",
                "http://localhost,http://localhost:1/k",
                "http://localhost:x/k"
            })
    void parse_otherForm_isRefusedWithTheForm(String text) {
        assertThatThrownBy(() -> ClickHouseAddress.parse(text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(
                        "another form (expected: http(s)://HOST[:PORT][,HOST[:PORT]]…/DATABASE)");
    }

    @Test
    void parse_userInTheAddress_isRefusedWithoutRepeatingIt() {
        assertThatThrownBy(() -> ClickHouseAddress.parse("https://me:secret@h.example/k"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("komainu.records.password-file")
                .hasMessageNotContaining("secret");
    }

    @Test
    void parse_oneServerTwice_isRefused() {
        assertThatThrownBy(() -> ClickHouseAddress.parse("http://localhost,localhost:8123/k"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("localhost:8123 twice (expected: each server once)");
    }

    @Test
    void parse_clearTextToTheSecondHost_isRefused() {
        assertThatThrownBy(() -> ClickHouseAddress.parse("http://localhost,clickhouse.example/k"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("expected: https");
    }

    @Test
    void parse_clearTextToAnotherHost_isRefused() {
        assertThatThrownBy(() -> ClickHouseAddress.parse("http://clickhouse.example/k"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("expected: https");
    }
}
