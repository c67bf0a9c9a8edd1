package dev.komainu.central.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests of the addresses that the setting accepts. */
class ControlUrlTest {

    @ParameterizedTest
    @ValueSource(
            strings = {
                "jdbc:postgresql://localhost/komainu",
                "jdbc:postgresql://127.0.0.1:5433/komainu?options=-c%20statement_timeout=5s",
                "jdbc:postgresql://[::1]:5432/komainu",
                "jdbc:postgresql://db.example/komainu?sslmode=verify-full&sslrootcert=/etc/ca.pem",
                "jdbc:postgresql://a.example:1,b.example:2/k?sslmode=require&targetServerType=primary"
            })
    void parse_addressOfTheDriver_isKept(String url) {
        assertThat(ControlUrl.parse(url)).isEqualTo(url);
    }

    @Test
    void parse_addressOfLibpq_getsTheDriversPrefix() {
        assertThat(ControlUrl.parse("postgresql://localhost/komainu"))
                .isEqualTo("jdbc:postgresql://localhost/komainu");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            jdbc:h2:mem:x                                              | another form
            jdbc:postgresql://localhost                                | another form
            jdbc:postgresql://komainu:geheim@localhost/komainu         | another form
            jdbc:postgresql://localhost/komainu?password=geheim        | komainu.control.password-file
            jdbc:postgresql://localhost/komainu?ssl=true&PASSWORD=geheim | komainu.control.password-file
            jdbc:postgresql://localhost/komainu?sslpassword=geheim     | komainu.control.password-file
            jdbc:postgresql://localhost/komainu?user=root              | komainu.control.user
            jdbc:postgresql://db.example/komainu                       | sslmode=verify-full
            jdbc:postgresql://localhost,db.example/komainu             | sslmode=verify-full
            """)
    void parse_otherAddress_isRefusedWithoutItsSecret(String url, String expected) {
        assertThatThrownBy(() -> ControlUrl.parse(url))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(expected)
                .hasMessageContaining("(expected: ")
                .hasMessageNotContaining("geheim");
    }
}
